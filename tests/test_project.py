"""The project's files agree with each other."""

import re
import tomllib
from dataclasses import is_dataclass
from importlib import import_module
from inspect import isclass
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import optimargin

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_the_same_in_the_package_and_its_metadata(project):
    assert optimargin.__version__ == project["version"]


def test_pre_commit_runs_the_pinned_ruff(project):
    pinned = next(line for line in project["optional-dependencies"]["dev"] if "ruff" in line)
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r'"(ruff==[^"]+)"', hooks)) == {pinned}


def test_oldest_versions_are_those_of_the_metadata(project):
    lines = (ROOT / "requirements" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    oldest = {
        requirement.name: next(iter(requirement.specifier)).version
        for requirement in map(Requirement, (line for line in lines if not line.startswith("#")))
    }
    extras = project["optional-dependencies"]
    groups = ("plots", "cli", "experiments", "onnx")
    lines = [*project["dependencies"], *(line for group in groups for line in extras[group])]
    needed = [Requirement(line) for line in lines if not line.startswith("optimargin")]
    # What only the tests need is held there where its newest version asks for newer ones.
    tested = [Requirement(line) for line in extras["test"] if not line.startswith("optimargin")]
    tested = [requirement for requirement in tested if requirement.name in oldest]
    held_for_others = {"pyparsing"}  # of matplotlib
    assert {requirement.name for requirement in needed + tested} | held_for_others == set(oldest)
    for requirement in needed + tested:
        lower = next(iter(requirement.specifier)).version
        # A bound such as 1.11 may be tested with 1.11.2, where .0 has no build for numpy 1.26.
        assert (oldest[requirement.name] + ".").startswith(lower + "."), requirement.name


@pytest.mark.parametrize("module", ["optimargin", "optimargin.files", "optimargin.plots"])
def test_public_names_are_explained_by_an_example(module):
    public = import_module(module)
    assert public.__all__
    for name in public.__all__:
        value = getattr(public, name)
        assert value.__doc__, f"{module}.{name} has no docstring"
        # Errors and the records that functions return may do without.
        if not is_dataclass(value) and not (isclass(value) and issubclass(value, Exception)):
            assert ">>>" in value.__doc__, f"{module}.{name} has no example"


def test_names_of_the_package_are_found_when_they_are_asked_for():
    assert set(optimargin.__all__) <= set(dir(optimargin))
    assert optimargin.OptimalMarginClassifier.__module__ == "optimargin.classifier"
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = optimargin.nonsense
