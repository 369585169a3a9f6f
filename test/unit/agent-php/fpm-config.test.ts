import { describe, expect, it } from 'vitest'
import { renderFpmConfig } from '#adapters/node/agent/php/plans/fpm-config.ts'
import type { FpmSettings } from '#adapters/node/agent/php/plans/fpm-config.ts'

const settings: FpmSettings = {
  username: 'alice',
  home: '/home/alice',
  logFile: '/var/log/alice.log',
  listen: '/run/berth/php/alice-8.2.fpm',
  maxChildren: 5,
  memoryLimit: '256M',
  requestTimeoutSecs: 60,
  databaseSocket: null,
  sendmailCommand: '/bin/false',
  ini: {},
}

/** Keys and values as an ini parser splits them. */
const parse = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').flatMap((line) => {
      const match = /^([\w.[\]]+) = "?([^"]*)"?$/.exec(line)
      return match ? [[match[1] ?? '', match[2] ?? '']] : []
    }),
  )

describe('renderFpmConfig', () => {
  it('says what it was given', () => {
    const values = parse(renderFpmConfig({ ...settings, databaseSocket: '/run/db.sock' }))
    expect(values.get('listen')).toBe(settings.listen)
    expect(values.get('pm.max_children')).toBe('5')
    expect(values.get('request_terminate_timeout')).toBe('60s')
    expect(values.get('php_value[memory_limit]')).toBe('256M')
    expect(values.get('php_admin_value[open_basedir]')).toBe(
      '/home/alice/:/usr/share/php/:/dev/urandom',
    )
    expect(values.get('php_admin_value[mysqli.default_socket]')).toBe('/run/db.sock')
    expect(values.get('security.limit_extensions')).toMatch(/^\.php .*\.html/)
    expect(values.get('security.limit_extensions')).not.toMatch(
      /jpg|png|gif|svg|txt|js|css|json|xml/,
    )
  })

  it.each<[keyof FpmSettings, string]>([
    ['home', '/home/al"ice'],
    ['home', '/home/al\nice'],
    ['home', '/home/${HOME}'],
    ['home', '/home/$pool'],
    ['home', '/home/a:/etc'],
    ['home', '/home/a;b'],
    ['home', 'relative'],
    ['home', '/home/a\\'],
    ['listen', '/run/a,b.fpm'],
    ['listen', '/run/a=b.fpm'],
    ['username', 'a]\n[b'],
    ['username', 'A'],
    ['memoryLimit', '1M\nx=1'],
    ['memoryLimit', 'lots'],
    ['databaseSocket', '/run/"x"'],
    ['sendmailCommand', '/bin/sh -c "x"'],
  ])('refuses %s = %j', (key, value) => {
    expect(() => renderFpmConfig({ ...settings, [key]: value })).toThrow()
  })

  it('refuses numbers that FPM would not take', () => {
    expect(() => renderFpmConfig({ ...settings, maxChildren: 0 })).toThrow()
    expect(() => renderFpmConfig({ ...settings, requestTimeoutSecs: 1.5 })).toThrow()
  })
})
