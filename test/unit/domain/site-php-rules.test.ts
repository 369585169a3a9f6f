import { expect, it } from 'vitest'
import { phpIniProblem } from '#handlers/domain/php/ini-rules.ts'
import {
  phpSize,
  phpSizeBytes,
  SITE_PHP_RULES,
  sitePhpProblem,
} from '#handlers/domain/php/site-php-rules.ts'
import { parseUserIni } from '#handlers/domain/php/user-ini.ts'

const GOOD: Record<string, string> = { size: '256M', whole: '1000', switch: '1', zone: 'UTC' }

it('each setting that may be chosen is one that a virtual host may have', () => {
  for (const [name, { kind }] of Object.entries(SITE_PHP_RULES)) {
    const value = GOOD[kind] ?? ''
    expect([name, sitePhpProblem(name, value)]).toEqual([name, null])
    if (name !== 'memory_limit') expect([name, phpIniProblem(name, value)]).toEqual([name, null])
  }
})

it('no value may be more than it is', () => {
  const ends = ['\n', '\0', '\r\n', ';x', '"', "'", '\\', '$x', ' ', '=1', '[a]', '\u2028', 'é']
  for (const [name, { kind }] of Object.entries(SITE_PHP_RULES)) {
    const value = GOOD[kind] ?? ''
    for (const end of ends)
      for (const odd of [`${value}${end}`, `${end}${value}`, end])
        expect([name, odd, sitePhpProblem(name, odd)]).toEqual([name, odd, expect.any(String)])
  }
})

it('what keeps accounts apart cannot be chosen', () => {
  for (const name of [
    ...['open_basedir', 'disable_functions', 'disable_classes', 'sendmail_path', 'extension'],
    ...[
      'zend_extension',
      'auto_prepend_file',
      'error_log',
      'session.save_path',
      'user_ini.filename',
    ],
    ...[
      'opcache.preload',
      'opcache.file_cache',
      'opcache.validate_timestamps',
      'allow_url_include',
    ],
    ...['__proto__', 'constructor', 'memory_limit ', 'Memory_Limit', ''],
  ])
    expect([name, sitePhpProblem(name, '1')]).toEqual([name, expect.stringContaining('cannot')])
})

it('sizes are read and written as php.ini has them', () => {
  for (const text of ['1', '10K', '256M', '2G']) expect(phpSize(phpSizeBytes(text) ?? 0)).toBe(text)
  for (const text of ['', '-1', '1T', '1.5M', '1 M', 'M', '0x10'])
    expect(phpSizeBytes(text)).toBeNull()
})

it('a file of the site is read as PHP reads it, up to its first section', () => {
  const text = `; mine
memory_limit = 64M ; little
 display_errors=On
date.timezone = "Europe/Berlin"; here
a = 1
a = 2
= nothing
b
[PATH=/x]
memory_limit = 1M`
  expect(Object.fromEntries(parseUserIni(text))).toEqual({
    ...{ memory_limit: '64M', display_errors: '1', 'date.timezone': 'Europe/Berlin', a: '2' },
  })
})
