import { expect, test } from 'vitest'
import {
  digestFixedKeys,
  RELOADED_KEYS,
  restartOnlyChanges,
} from '#adapters/node/config/restart-only-changes.ts'
import { renderBanner } from '#adapters/node/service/banner.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

const configOf = (text: string) =>
  parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true }).config

test('a reload names what only a new start changes', () => {
  const before = configOf('')
  expect(
    restartOnlyChanges(
      digestFixedKeys(before),
      configOf('[server]\nworkers = 3\nkeepalive_timeout = 9'),
    ),
  ).toEqual([])
  const after = configOf(
    '[server]\nlisten = "0.0.0.0:8080"\n[paths]\nlog_dir = "/x"\n[cache]\nstorage = "disk"\ndisk_path = "/var/c"',
  )
  expect(restartOnlyChanges(digestFixedKeys(before), after)).toEqual(
    expect.arrayContaining(['paths.log_dir', 'server.listen', 'cache.storage']),
  )
})

test('every key of the file is taken up by a reload or named', () => {
  const before = configOf('')
  const started = digestFixedKeys(before)
  const fixed = Object.keys(started)
  // Sections of which nothing is reloaded, and those of which something is not.
  for (const key of ['backups.schedule', 'ssl.directory', 'hooks.run_as', 'php.max_children'])
    expect(fixed).toContain(key)
  const target = `[[remote_target]]
name = "away"
type = "s3"
endpoint = "https://s3.example.com"
bucket = "backups"
access_key_id = "k"
secret_key_file = "/secret"`
  expect(restartOnlyChanges(started, configOf(target))).toEqual([])
  expect(restartOnlyChanges(started, configOf('[backups]\nschedule = 3'))).toEqual([
    'backups.schedule',
  ])
  // What is told to be reloaded is a key that there is.
  const all = Object.entries(before).flatMap(([section, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value).map((key) => `${section}.${key}`)
      : [section],
  )
  expect(all).toEqual(expect.arrayContaining(fixed))
  expect(all.filter((key) => !fixed.includes(key)).sort()).toEqual([...RELOADED_KEYS].sort())
})

test('a secret cannot be read out of what is kept of a configuration', () => {
  const config = configOf('[cache]\nstorage = "redis"\nredis_url = "redis://:hunter2@localhost"')
  expect(JSON.stringify(digestFixedKeys(config))).not.toContain('hunter2')
})

test('the banner warns where accounts are not isolated', () => {
  const facts = {
    panel: ['127.0.0.1:7070'],
    panelTls: false,
    http: [],
    https: [],
    management: [],
    configFile: '/x',
    logDir: '/y',
    firstStart: true,
    startedInMs: 1,
  }
  const plain = renderBanner({ ...facts, sharedUser: null })
  expect(plain).not.toContain('Warning')
  expect(plain).toContain('open http://127.0.0.1:7070')
  const secure = renderBanner({ ...facts, panelTls: true, sharedUser: null })
  expect(secure).toContain('open https://127.0.0.1:7070')
  expect(renderBanner({ ...facts, sharedUser: 'lena' })).toMatch(/Warning: .*not isolated[^]*lena/)
})
