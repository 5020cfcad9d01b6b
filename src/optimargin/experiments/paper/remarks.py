"""Why a level here is not the paper's, as far as it was found out.

The figures are printed by ``make bench NAMES=paper_levels``.
"""

_ANY = "*"
_RIDGE = (
    "a squared norm weighted 20 to 100 gives the paper's levels, the stated weight 0.5 does not"
)
_AT_ONCE = "nearer with one regression for all classes than with the stated pairs of classes"
_SEARCH = (
    "the search, on columns that are almost collinear: from one random start it ends at 59 to 93; "
    "rotated to their principal axes, as in the author's file of HV, at 93 to 99"
)

_REACH = (
    "noise from the range of the data gives the paper's level, from the range widened by half of "
    "it, as stated, it does not"
)

# By data set, method and noise; what is more specific comes first.
_REASONS = {
    ("VT", _ANY, _ANY): (
        "the paper's 8 features and 192 and 242 rows are another task on these data: vote 8 from "
        "the party and votes 1 to 7, without the first row, has its levels within 2 points"
    ),
    ("SR", "mba", _ANY): (
        "the level is that of LDA without regularisation and with the classes' frequencies (row "
        "lda-plain), not of the stated factor 0.5"
    ),
    ("CG", "del", "0"): _RIDGE,
    ("IS", "del", "0"): _RIDGE,
    ("HV", "del", "0"): _RIDGE,
    ("HN", "del", "0"): _RIDGE,
    ("IR", "del", _ANY): _AT_ONCE,
    ("YD", "del", _ANY): _AT_ONCE,
    ("RQ", "del", _ANY): _AT_ONCE,
    ("WQ", "del", _ANY): _AT_ONCE,
    ("CG", _ANY, "0.15"): _REACH,
    ("PD", "wsv", "0.15"): _REACH,
    ("PD", "del", "0.15"): _REACH,
    ("HV", "oec-cmaes", "0.15"): _SEARCH,
    ("HN", "oec-cmaes", "0.15"): _SEARCH,
    (_ANY, "sla", _ANY): "not known: with any weight of the squared norm ours scores more",
}


def reason(data: str, method: str, noise: str = "0") -> str:
    """The reason for one row; "not known" is an answer too."""
    for key in (
        (data, method, noise),
        (data, method, _ANY),
        (data, _ANY, noise),
        (data, _ANY, _ANY),
        (_ANY, method, _ANY),
    ):
        if key in _REASONS:
            return _REASONS[key]
    return "not known"
