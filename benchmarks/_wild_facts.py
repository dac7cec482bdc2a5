"""What people know of the files that wild.py checks: from their documentation, or by looking at them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Facts:
    """How a file is written.

    Attributes
    ----------
    sep : str
        Between cells; a blank for any number of blanks.
    header : bool
        Whether the first row names the columns; if not, they are "column 1", "column 2" and so on.
    skip, second : int
        Lines before the header, and lines after it that are no rows.
    row_names : bool
        Whether the first column, which has no name, names the rows, as R writes it.
    missing : tuple of str
        Words that mean that a value is missing, next to nothing at all.
    either : tuple of str
        Words that may mean that as well as a value of their own: both readings are right.
    label : str
        The column to predict; none if empty.
    table : str
        Of a workbook or a database.
    is_table : bool
        Whether the file holds a table at all; if not, a sentence that says so is right.
    dates : mapping of str to str
        Formats of columns of dates that are not written as ISO 8601.
    """

    sep: str = ","
    header: bool = True
    skip: int = 0
    second: int = 0
    row_names: bool = False
    quote: str = '"'
    encoding: str = "utf-8-sig"
    missing: tuple[str, ...] = ()
    either: tuple[str, ...] = ()
    label: str = ""
    table: str = ""
    is_table: bool = True
    dates: dict[str, str] = field(default_factory=dict)


#: All files of the first set, then of the second; those without an entry are written in the usual way.
FACTS = {
    "AirQualityUCI.csv": Facts(label="C6H6_GT", dates={"Date": "%d/%m/%Y"}),
    # The documentation calls NA a category of 14 columns (no garage, no alley), everybody's readers a gap.
    "AmesHousing.csv": Facts(label="SalePrice", either=("NA",)),
    "Chinook_Sqlite.sqlite": Facts(table="Track"),
    "GLB.Ts+dSST.csv": Facts(skip=1, missing=("***",)),
    "KNYC.csv": Facts(dates={"date": "%Y-%m-%d"}),
    "abalone.csv": Facts(header=False, label="column 9"),
    "airports.dat": Facts(header=False, missing=("\\N",)),
    "auto_imports.csv": Facts(header=False, missing=("?",)),
    "bechdel_movies.csv": Facts(label="binary", missing=("#N/A",)),
    # "None" is the usual damage; an operator may be unknown.
    "birdstrikes.csv": Facts(label="Effect Amount of damage", either=("UNKNOWN",)),
    "breast-cancer-wisconsin.data": Facts(header=False, label="column 11", missing=("?",)),
    "breast-cancer.csv": Facts(header=False, label="column 10", quote="'", missing=("nan",)),
    "countries.dat": Facts(header=False, missing=("\\N",)),
    "diamonds.csv": Facts(label="price"),
    "ecoli.data": Facts(sep=" ", header=False, label="column 9"),
    "german.csv": Facts(header=False, label="column 21"),
    "glass.data": Facts(header=False, label="column 11"),
    "haberman.csv": Facts(header=False, label="column 4"),
    "horse-colic.data": Facts(sep=" ", header=False, label="column 23", missing=("?",)),
    "housing.data": Facts(sep=" ", header=False, label="column 14"),
    "ionosphere.csv": Facts(header=False, label="column 35"),
    "librarians-by-msa.csv": Facts(missing=("**",)),
    "male-flight-attendants.tsv": Facts(sep="\t"),
    "mammography.csv": Facts(header=False, label="column 7", quote="'"),
    "mpg.csv": Facts(label="mpg"),
    "off-year-turnout-2023.xlsx": Facts(table="Virginia", missing=("NA",)),
    "oil-spill.csv": Facts(header=False, label="column 50"),
    "penguins.csv": Facts(label="species"),
    "pima-indians-diabetes.data.csv": Facts(header=False, label="column 9"),
    "planets.csv": Facts(label="method"),
    "poll-of-pollsters.tsv": Facts(sep="\t", missing=("N/A",), either=("?",)),
    "recent-grads.csv": Facts(label="Major_category"),
    "steak-risk-survey.csv": Facts(second=1),
    "student-mat.csv": Facts(label="G3"),
    "taxis.csv": Facts(label="payment"),
    "weather-check.csv": Facts(missing=("-",), either=("Prefer not to answer",)),
    # --- the second set
    "JeffSackmann--atp_matches_2023.csv": Facts(label="surface", dates={"tourney_date": "%Y%m%d"}),
    "JeffSackmann--atp_matches_qual_chall_1985.csv": Facts(dates={"tourney_date": "%Y%m%d"}),
    "ageron--train.csv": Facts(label="Survived"),
    "chadwickbureau--HallOfFame.csv": Facts(label="inducted"),
    "chadwickbureau--TeamsHalf.csv": Facts(label="DivWin"),
    "datasets--datapackage.json": Facts(is_table=False),
    "datasets--gdp.csv": Facts(label="Value"),
    "dotnet--FastForestBinary.tsv": Facts(sep="\t", header=False, is_table=False),
    "dotnet--wikipedia-detox-250-line-test.tsv": Facts(sep="\t", label="Sentiment"),
    "fivethirtyeight--pollster-ratings.csv": Facts(label="538 Grade"),
    "guipsamora--student-mat.csv": Facts(label="G3"),
    "jbrownlee--glass.csv": Facts(header=False, label="column 10"),
    "jbrownlee--housing.csv": Facts(header=False, label="column 14"),
    "justmarkham--drinks2.csv": Facts(label="continent"),
    "justmarkham--u.data": Facts(sep="\t", header=False, label="column 3"),
    "mwaskom--dots.csv": Facts(label="choice"),
    "numenta--ARTime_occupancy_6005.csv": Facts(label="label"),
    "numenta--numenta_ec2_request_latency_system_failure.csv": Facts(label="label"),
    "plotly--spinrates.csv": Facts(row_names=True, label="swing_miss"),
    "rstudio--Learning R Internet Survey - Question Names.tsv": Facts(sep="\t"),
    "rstudio--first-language-dictionary.tsv": Facts(sep="\t", missing=("NA",)),
    "selva86--ozone.csv": Facts(label="ozone_reading"),
    "vega--flights-10k.json": Facts(label="delay", dates={"date": "%Y/%m/%d %H:%M"}),
    "vega--ohlc.json": Facts(label="signal"),
    "wesm--genderclassmodel.csv": Facts(label="Survived"),
    "wesm--tips.csv": Facts(label="tip"),
}
