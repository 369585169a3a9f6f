import { describe, expect, test } from 'vitest'
import { parseApacheCommand, parseNginxTitle } from '#adapters/node/swap/parse-command.ts'

describe('Apache', () => {
  test.each([
    [['-k', 'start'], ['-k', 'start'], null, null, false],
    [
      ['-k', 'restart', '-f', '/a/b.conf'],
      ['-f', '/a/b.conf', '-k', 'start'],
      '/a/b.conf',
      null,
      false,
    ],
    [
      ['-d/srv', '-fx.conf', '-DSSL'],
      ['-d', '/srv', '-f', 'x.conf', '-D', 'SSL', '-k', 'start'],
      'x.conf',
      '/srv',
      false,
    ],
    [['-D', 'FOREGROUND'], ['-D', 'FOREGROUND', '-k', 'start'], null, null, true],
    [['-DFOREGROUND', '-k', 'start'], ['-D', 'FOREGROUND', '-k', 'start'], null, null, true],
    [['-X'], ['-k', 'start'], null, null, true],
    [['-f'], ['-f', '', '-k', 'start'], '', null, false],
  ] as const)('%j', (words, startArgs, config, base, foreground) => {
    expect(parseApacheCommand(words)).toMatchObject({ startArgs, config, base, foreground })
  })
})

describe('nginx', () => {
  test.each([
    ['/usr/sbin/nginx', [], null, null, false],
    [
      '/usr/sbin/nginx -g daemon on; master_process on;',
      ['-g', 'daemon on; master_process on;'],
      null,
      null,
      false,
    ],
    ['nginx -g daemon off;', ['-g', 'daemon off;'], null, null, true],
    [
      '/usr/sbin/nginx -p /srv/a b -c conf/n.conf',
      ['-p', '/srv/a b', '-c', 'conf/n.conf'],
      'conf/n.conf',
      '/srv/a b',
      false,
    ],
  ] as const)('%s', (line, configArgs, config, base, foreground) => {
    expect(parseNginxTitle(`nginx: master process ${line}`)).toEqual({
      startArgs: configArgs,
      configArgs,
      config,
      base,
      foreground,
    })
  })

  test('what is no master is none', () => {
    expect(parseNginxTitle('nginx: worker process')).toBeNull()
    expect(parseNginxTitle('vim nginx: master process')).toBeNull()
  })
})
