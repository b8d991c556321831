from blockfeat.page.document import Document as Document
from blockfeat.page.document import registered_domain as registered_domain
from blockfeat.page.encoding import decode as decode
from blockfeat.page.encoding import never_mended as never_mended
from blockfeat.page.page import Page as Page
from blockfeat.page.tags import Tags as Tags
from blockfeat.page.tags import lxml_tree as lxml_tree
