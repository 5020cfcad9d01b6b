"""The project's files agree with each other."""

import re
import tomllib
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
    declared = [
        requirement
        for group in ("plots", "cli", "experiments", "onnx")
        for requirement in map(Requirement, extras[group])
        if requirement.name != "optimargin"
    ] + [Requirement(line) for line in project["dependencies"]]
    assert {requirement.name for requirement in declared} == set(oldest)
    for requirement in declared:
        lower = next(iter(requirement.specifier)).version
        tested = oldest[requirement.name]
        # A bound such as 1.11 may be tested with 1.11.2, where .0 has no build for numpy 1.26.
        assert (tested + ".").startswith(lower + "."), requirement.name
