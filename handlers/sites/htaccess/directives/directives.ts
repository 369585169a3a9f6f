import { ACCESS_DIRECTIVES } from './access-directives.ts'
import { CACHE_DIRECTIVES } from './cache-directives.ts'
import { CODING_DIRECTIVES } from './coding-directives.ts'
import { CONTENT_DIRECTIVES } from './content-directives.ts'
import type { DirectiveReader } from './directive-types.ts'
import { HEADER_DIRECTIVES } from './header-directives.ts'
import { PHP_DIRECTIVES } from './php-directives.ts'
import { REDIRECT_DIRECTIVES } from './redirect-directives.ts'
import { REWRITE_DIRECTIVES } from './rewrite-directives.ts'

/** Every directive that has an effect, by its name in lower case. */
export const DIRECTIVES: ReadonlyMap<string, DirectiveReader> = new Map(
  Object.entries({
    ...REWRITE_DIRECTIVES,
    ...REDIRECT_DIRECTIVES,
    ...HEADER_DIRECTIVES,
    ...ACCESS_DIRECTIVES,
    ...CACHE_DIRECTIVES,
    ...CONTENT_DIRECTIVES,
    ...CODING_DIRECTIVES,
    ...PHP_DIRECTIVES,
  }),
)

/** Known, harmless to leave out, and not worth a line in the log. */
export const IGNORED_DIRECTIVES: ReadonlySet<string> = new Set([
  'addinputfilter',
  'adddescription',
  'addicon',
  'authauthoritative',
  'authbasicauthoritative',
  'authbasicprovider',
  'authmerging',
  'authuserfileauthoritative',
  'checkcaseonly',
  'checkspelling',
  'cacheenable',
  'cachekeymodify',
  'cachelookup',
  'contentdigest',
  'defaultlanguage',
  'deflatecompressionlevel',
  'deflatefilternote',
  'enablemmap',
  'enablesendfile',
  'forcelanguagepriority',
  'headername',
  'indexoptions',
  'indexorderdefault',
  'languagepriority',
  'limitrequestbody',
  'limitxmlrequestbody',
  'multiviewsmatch',
  'passenv',
  'readmename',
  'secfilterengine',
  'secfilterscanpost',
  'secruleengine',
  'serversignature',
  'setinputfilter',
  'ssloptions',
  'xbithack',
])
