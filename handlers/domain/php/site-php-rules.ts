import { MEBIBYTE } from '../text/megabyte.ts'
/** How a setting of PHP is written, and within which bounds. */
export type SitePhpRule =
  /** As in php.ini, e.g. `256M`; bounds in bytes. */
  | { kind: 'size'; min: number; max: number }
  | { kind: 'whole'; min: number; max: number }
  /** `1` or `0`. */
  | { kind: 'switch' }
  /** Name of a time zone, e.g. `Europe/Berlin`. */
  | { kind: 'zone' }

const size = (min: number, max: number): SitePhpRule => ({ kind: 'size', min, max })
const whole = (min: number, max: number): SitePhpRule => ({ kind: 'whole', min, max })
const SWITCH: SitePhpRule = { kind: 'switch' }

/**
 * What the owner of a site may choose of PHP, by its name in php.ini, in the order in which it
 * is shown. None of it leads out of the account, and none names a file or a program.
 */
export const SITE_PHP_RULES: Readonly<Record<string, SitePhpRule>> = {
  memory_limit: size(8 * MEBIBYTE, 64 * 1024 * MEBIBYTE),
  upload_max_filesize: size(MEBIBYTE, 64 * 1024 * MEBIBYTE),
  post_max_size: size(MEBIBYTE, 64 * 1024 * MEBIBYTE),
  max_file_uploads: whole(0, 1000),
  max_execution_time: whole(1, 3600),
  max_input_time: whole(-1, 3600),
  max_input_vars: whole(100, 100_000),
  default_socket_timeout: whole(1, 3600),
  display_errors: SWITCH,
  display_startup_errors: SWITCH,
  html_errors: SWITCH,
  error_reporting: whole(0, 32_767),
  'date.timezone': { kind: 'zone' },
  'session.gc_maxlifetime': whole(60, 31_536_000),
  'session.cookie_lifetime': whole(0, 31_536_000),
  short_open_tag: SWITCH,
  allow_url_fopen: SWITCH,
  output_buffering: whole(0, MEBIBYTE),
  'zlib.output_compression': SWITCH,
  'opcache.enable': SWITCH,
  'opcache.memory_consumption': whole(8, 1024),
  'opcache.max_accelerated_files': whole(200, 100_000),
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: MEBIBYTE, G: 2 ** 30 }

/** Bytes of a size as php.ini has it; null for what is none. */
export const phpSizeBytes = (text: string): number | null => {
  const [, digits, unit = ''] = /^(\d{1,12})([KMG]?)$/i.exec(text) ?? []
  return digits === undefined ? null : Number(digits) * (UNITS[unit.toUpperCase()] ?? 1)
}

/** Bytes as php.ini has them, in the largest unit that keeps them whole. */
export const phpSize = (bytes: number): string => {
  for (const unit of ['G', 'M', 'K'] as const) {
    const each = UNITS[unit] ?? 1
    if (bytes >= each && bytes % each === 0) return `${bytes / each}${unit}`
  }
  return String(bytes)
}

const isZone = (text: string): boolean => {
  if (!/^[A-Za-z][A-Za-z0-9_+-]{0,31}(?:\/[A-Za-z0-9_+-]{1,32}){0,2}$/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    return false
  }
}

/** What is wrong with a setting that the owner of a site chooses; null: nothing is. */
export const sitePhpProblem = (name: string, value: string): string | null => {
  const rule = Object.hasOwn(SITE_PHP_RULES, name) ? SITE_PHP_RULES[name] : undefined
  if (rule === undefined)
    return `cannot be chosen for a site. These can: ${Object.keys(SITE_PHP_RULES).join(', ')}.`
  switch (rule.kind) {
    case 'switch':
      return value === '0' || value === '1' ? null : 'must be 1 or 0.'
    case 'zone':
      return isZone(value) ? null : 'must be a time zone such as Europe/Berlin or UTC.'
    case 'size': {
      const bytes = phpSizeBytes(value)
      const [least, most] = [phpSize(rule.min), phpSize(rule.max)]
      return bytes !== null && bytes >= rule.min && bytes <= rule.max
        ? null
        : `must be a size such as 256M, from ${least} to ${most}.`
    }
    case 'whole': {
      const number = /^-?\d{1,12}$/.test(value) ? Number(value) : NaN
      return number >= rule.min && number <= rule.max
        ? null
        : `must be a whole number from ${rule.min} to ${rule.max}.`
    }
  }
}
