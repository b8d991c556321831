from blockfeat.content.links import Base as Base
from blockfeat.content.links import clean_characters as clean_characters
from blockfeat.content.links import fold_white_space as fold_white_space
from blockfeat.content.links import xml_characters as xml_characters
from blockfeat.content.plain import data_tables as data_tables
from blockfeat.content.plain import plain_text as plain_text
from blockfeat.content.sanitise import Loads as Loads
from blockfeat.content.sanitise import Sanitiser as Sanitiser
