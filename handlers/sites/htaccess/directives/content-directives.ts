import { isMediaType } from '../../../domain/text/media-type.ts'
import { DirectiveError } from './directive-error.ts'
import type { DirectiveReader } from './directive-types.ts'
import { globTest } from '../files/glob-test.ts'
import type { ExpiryRule, Settings } from '../files/settings.ts'

/** Names of `IndexIgnore` that count, each asked for every name of a listing. */
const MAX_IGNORED = 50

const UNITS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
  year: 31_536_000,
}

/** `A3600`, `M3600`, or `access plus 1 month 2 days`. */
const readExpiry = (text: string): ExpiryRule => {
  const short = /^([AM])(-?\d{1,10})$/.exec(text)
  if (short) {
    return { base: short[1] === 'M' ? 'modification' : 'access', secs: Number(short[2]) }
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const base = words.shift()
  if (base !== 'access' && base !== 'now' && base !== 'modification') {
    throw new DirectiveError(`"${text}" is not a time of expiry`)
  }
  if (words[0] === 'plus') words.shift()
  let secs = 0
  // The base alone is that very moment.
  if (words.length % 2 === 1) throw new DirectiveError(`"${text}" is not a time of expiry`)
  for (let at = 0; at < words.length; at += 2) {
    const unit = UNITS[(words[at + 1] ?? '').replace(/s$/, '')]
    const count = Number(words[at])
    if (unit === undefined || !Number.isInteger(count)) {
      throw new DirectiveError(`"${text}" is not a time of expiry`)
    }
    secs += count * unit
  }
  return { base: base === 'modification' ? 'modification' : 'access', secs }
}

const isOn = (word: string | undefined): boolean => word?.toLowerCase() === 'on'

/** Extensions as they are kept: lower case, without a dot. */
const extensionsOf = (words: string[]): string[] =>
  words.map((word) => word.replace(/^\./, '').toLowerCase())

const byExtension =
  (of: (settings: Settings) => Map<string, string>): DirectiveReader =>
  ([value, ...extensions]) => {
    if (value === undefined || extensions.length === 0) {
      throw new DirectiveError('a value and extensions are needed')
    }
    return (settings) => {
      for (const extension of extensionsOf(extensions)) of(settings).set(extension, value)
    }
  }

const removing =
  (of: (settings: Settings) => Map<string, string>): DirectiveReader =>
  (extensions) =>
  (settings) => {
    for (const extension of extensionsOf(extensions)) of(settings).delete(extension)
  }

/** Types, expiry, indexes, and what answers a directory. */
export const CONTENT_DIRECTIVES: Readonly<Record<string, DirectiveReader>> = {
  directoryindex: (names) => (settings) => {
    settings.index = names.length === 1 && names[0] === 'disabled' ? [] : names
  },
  directoryslash:
    ([word]) =>
    (settings) => {
      settings.directorySlash = isOn(word)
    },
  acceptpathinfo: ([word = '']) => {
    if (!/^(?:on|off|default)$/i.test(word))
      throw new DirectiveError('AcceptPathInfo must be on, off or default')
    return (settings) => {
      settings.pathInfo = word.toLowerCase() !== 'off'
    }
  },
  fallbackresource: ([path = '']) => {
    if (path !== 'disabled' && !path.startsWith('/')) {
      throw new DirectiveError('FallbackResource must be a path that begins with "/"')
    }
    return (settings) => {
      settings.fallback = path
    }
  },
  options: (words) => (settings) => {
    // Without a sign the words are all that is on from here.
    if (words.some((word) => !/^[+-]/.test(word))) settings.indexes = false
    for (const word of words) {
      const name = word.replace(/^[+-]/, '').toLowerCase()
      if (name === 'indexes' || name === 'all') settings.indexes = !word.startsWith('-')
    }
  },
  indexignore: (names) => {
    const tests = names.map(globTest)
    return (settings) => {
      settings.indexIgnore = [...settings.indexIgnore, ...tests].slice(0, MAX_IGNORED)
    }
  },
  indexignorereset:
    ([word]) =>
    (settings) => {
      if (isOn(word)) settings.indexIgnore = []
    },
  expiresactive:
    ([word]) =>
    (settings) => {
      settings.expiresActive = isOn(word)
    },
  expiresdefault: (words) => {
    const rule = readExpiry(words.join(' '))
    return (settings) => {
      settings.expiresDefault = rule
    }
  },
  expiresbytype: ([type, ...words]) => {
    if (type === undefined) throw new DirectiveError('ExpiresByType needs a media type')
    const rule = readExpiry(words.join(' '))
    return (settings) => {
      settings.expires.set(type.toLowerCase(), rule)
    }
  },
  addtype: (args, context, text) => {
    // Of AddType too, this is how sites choose a version of PHP.
    const php = /php/i.test(args[0] ?? '')
    if (!php && !isMediaType(args[0] ?? '')) {
      throw new DirectiveError(`"${args[0] ?? ''}" is not a media type`)
    }
    return byExtension((settings) => (php ? settings.handlers : settings.types))(
      args,
      context,
      text,
    )
  },
  removetype: removing((settings) => settings.types),
  addcharset: byExtension((settings) => settings.charsets),
  removecharset: removing((settings) => settings.charsets),
  addencoding: byExtension((settings) => settings.encodings),
  removeencoding: removing((settings) => settings.encodings),
  addlanguage: byExtension((settings) => settings.languages),
  addhandler: byExtension((settings) => settings.handlers),
  removehandler: (extensions) => (settings) => {
    for (const extension of extensionsOf(extensions)) settings.handlers.set(extension, 'none')
  },
  sethandler:
    ([handler = 'none']) =>
    (settings) => {
      settings.handlers.set('', handler)
    },
  forcetype:
    ([type = 'none']) =>
    (settings) => {
      settings.forcedType = type.toLowerCase() === 'none' ? null : type
    },
  adddefaultcharset:
    ([charset = 'off']) =>
    (settings) => {
      const lower = charset.toLowerCase()
      settings.defaultCharset = lower === 'off' ? null : lower === 'on' ? 'iso-8859-1' : charset
    },
  fileetag: (words) => (settings) => {
    settings.etag = words[0]?.toLowerCase() !== 'none'
  },
}
