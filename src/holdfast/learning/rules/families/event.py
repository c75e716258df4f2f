"""What happened."""

from holdfast.learning.rules.family import ShapeRule

_WHO = r"(?:i|we|he|she|they|it|i've|we've|he's|she's|they've|ive|weve|(?-i:[A-Z][a-z]+)|(?:my|our|the) [a-z]+)"

RULES: tuple[ShapeRule, ...] = (
    ShapeRule(
        "turning point", "event",
            rf"\b{_WHO} (?:have |has |had |just |finally |also |already |then |never )*(?:passed|failed|bought|sold"
            r"|moved|started|quit|left|got|broke|lost|won|finished|signed|joined|graduated|retired|died|married|adopted"
            r"|published|released|shipped|opened|closed|received|paid|ordered|found|hired|fired|promoted|diagnosed"
            r"|recovered|returned|came|went|met|visited|saw|made|took|gave|sent|told|began|fixed|replaced|renewed"
            r"|raised|cut|dropped|merged|upgraded|settled|accepted|offered|landed|arrived|put|became|completed)\b",
        examples=("I passed B2 in July.", "She moved up to the performance squad."), not_examples=("Passing is hard.",),
    ),
    ShapeRule(
        "was done", "event",
            r"\b(?:was|were|got|has been|have been|been) (?:\w+ly )?(?:born|diagnosed|approved|granted|moved|postponed"
            r"|cancell?ed|delayed|pushed|accepted|rejected|promoted|fired|hired|sold|bought|broken|stolen|fixed|repaired"
            r"|replaced|settled|signed|finished|released|opened|closed|married|engaged|aborted|merged|shipped|renewed"
            r"|installed|delivered)\b|\b(?:is|came) (?:in|off|out|through|back)\b",
        examples=("He was born on the 4th of July.", "visa came through as well"),
    ),
    ShapeRule(
        "short report", "event",
            r"^(?:(?:ok|so|oh|and|also|btw|news|update|well)[,:.]? )*(?:passed|failed|bought|sold|moved|started|quit"
            r"|got|broke|lost|won|finished|signed|joined|found|fixed|paid|met|saw|booked|sent|came|done|shipped|merged)\b",
        examples=("passed the choux assessment!! 71", "also got the keys"), not_examples=("Passing trains are loud.",),
    ),
)  # fmt: skip
