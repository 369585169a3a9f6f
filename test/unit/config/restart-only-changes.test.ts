import { expect, test } from 'vitest'
import { restartOnlyChanges } from '#adapters/node/supervisor/restart-only-changes.ts'
import { renderBanner } from '#adapters/node/supervisor/banner.ts'
import { parseServerConfig } from '#handlers/domain/server-config.ts'

const configOf = (text: string) =>
  parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true }).config

test('a reload names what only a new start changes', () => {
  const before = configOf('')
  expect(
    restartOnlyChanges(before, configOf('[server]\nworkers = 3\nkeepalive_timeout = 9')),
  ).toEqual([])
  const after = configOf(
    '[server]\nlisten = "0.0.0.0:8080"\n[paths]\nlog_dir = "/x"\n[cache]\nstorage = "disk"\ndisk_path = "/var/c"',
  )
  expect(restartOnlyChanges(before, after)).toEqual(
    expect.arrayContaining(['paths.log_dir', 'server.listen', 'cache.storage']),
  )
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
