import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { START_VALUES } from './fpm-config.ts'
import { LSPHP_ENV } from './lsphp-env.ts'
import type { ModeInput, ModePlan } from './mode-plan.ts'
import { phpIni, wholeNumber } from './php-ini.ts'
import { probeLsapi } from '../masters/probe-lsapi.ts'

/** The php.ini that came with an lsphp: LiteSpeed's places on Debian, then on others, then a distribution's. */
const packagedIni = (binary: string, version: string): string => {
  const prefix = dirname(dirname(binary))
  for (const file of [
    `${prefix}/etc/php/${version}/litespeed/php.ini`,
    `${prefix}/etc/php.ini`,
    `/etc/php/${version}/litespeed/php.ini`,
  ]) {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      continue
    }
  }
  return ''
}

/**
 * An lsphp parent with children that it starts as they are needed. It takes its
 * settings from a file alone: from the environment, every PHP that a script runs
 * would take them too.
 */
export const planLsphp = (input: ModeInput): ModePlan => {
  const { fixed, open } = phpIni(input)
  const binary = input.php.binaries.lsapi ?? ''
  const values = [...Object.entries(START_VALUES), ...fixed, ...open]
  // With a single child it would answer by itself, and end with its last request.
  const children = Math.max(2, input.maxChildren)
  return {
    text: [
      packagedIni(binary, input.php.version),
      `; Generated for account ${input.username}. Changes are overwritten.`,
      '[PHP]',
      ...values.map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
    binary,
    limits: input.limits,
    args: ['-c', input.configFile],
    env: {
      ...LSPHP_ENV,
      LSAPI_CHILDREN: wholeNumber('max_children', children),
      LSAPI_MAX_PROCESS_TIME: wholeNumber('request timeout', input.requestTimeoutSecs),
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: input.home,
      USER: input.username,
      TMPDIR: `${input.home}/tmp`,
    },
    probe: probeLsapi,
    scattered: { logFile: input.logFile },
  }
}
