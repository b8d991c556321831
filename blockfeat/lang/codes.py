"""Language codes: what a page declares, as ISO 639-1."""

from __future__ import annotations

import re

_TWO_LETTERS = """
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee
el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io
is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn
mr ms mt my na nd ne ng nl no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si
sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo
xh yi yo za zh zu
"""
# Longer codes, withdrawn ones, and country codes that pages put where a language belongs.
_OTHERS = """
nb=no nn=no nob=no nno=no nor=no iw=he in=id ji=yi jw=jv mo=ro sh=sr at=de cn=zh cz=cs dk=da gb=en gr=el
jp=ja ua=uk us=en afr=af alb=sq sqi=sq amh=am ara=ar arb=ar ary=ar arz=ar arm=hy hye=hy asm=as aze=az
baq=eu eus=eu bel=be ben=bn bod=bo tib=bo bos=bs bre=br bul=bg bur=my mya=my cat=ca ces=cs cze=cs chi=zh
zho=zh cmn=zh yue=zh wuu=zh ckb=ku kmr=ku kur=ku sdh=ku cym=cy wel=cy dan=da deu=de ger=de gsw=de dut=nl
nld=nl ell=el gre=el eng=en pcm=en epo=eo est=et fao=fo fas=fa per=fa pes=fa prs=fa fil=tl tgl=tl fin=fi
fra=fr fre=fr fry=fy geo=ka kat=ka gla=gd gle=ga glg=gl guj=gu hau=ha heb=he hin=hi hrv=hr scr=hr hun=hu
ibo=ig ice=is isl=is ind=id ita=it jav=jv jpn=ja kan=kn kaz=kk khm=km kin=rw kir=ky kor=ko lao=lo lat=la
lav=lv lvs=lv lit=lt ltz=lb mac=mk mkd=mk mal=ml mar=mr may=ms msa=ms zsm=ms mlt=mt mon=mn khk=mn nep=ne
oci=oc ori=or ory=or pan=pa pol=pl por=pt pus=ps ron=ro rum=ro rus=ru san=sa sin=si slk=sk slo=sk slv=sl
snd=sd som=so sot=st spa=es srp=sr scc=sr swa=sw swe=sv tam=ta tat=tt tel=te tgk=tg tha=th tir=ti tuk=tk
tur=tr uig=ug ukr=uk urd=ur uzb=uz uzn=uz vie=vi xho=xh yid=yi yor=yo zul=zu
"""

ISO_639_1 = frozenset(_TWO_LETTERS.split())
"""The two-letter codes; Norwegian is ``no`` only (``nb`` and ``nn`` are folded into it)."""

_OTHER_CODES = dict(pair.split("=") for pair in _OTHERS.split())
_FIRST_PART = re.compile(r"[^a-z]*([a-z]{2,3})(?![a-z])", re.IGNORECASE)


def normalise_code(code: str | None) -> str | None:
    """Return the ISO 639-1 code of a language tag, or None where the tag names no known language.

    Reads BCP 47 tags (``de-DE``), locales (``pt_BR.UTF-8``), ISO 639-2 and -3 codes of common languages
    (``deu``, ``ger``), withdrawn codes (``iw``), macro languages (``nb``, ``nn`` give ``no``; ``cmn``,
    ``yue`` give ``zh``), lists (the first counts), and country codes that stand for no language (``cz``,
    ``jp``).
    """
    if not code:
        return None
    match = _FIRST_PART.match(code[:64])
    if match is None:
        return None
    first = match[1].lower()
    return first if first in ISO_639_1 else _OTHER_CODES.get(first)
