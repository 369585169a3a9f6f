import { expect, test } from 'vitest'
import { renderDefaultConfig } from '#handlers/domain/config/template.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

test.each([true, false])(
  'the commented default configuration gives the defaults (root: %s)',
  (root) => {
    const file = '/srv/instance/berth.toml'
    const defaults = parseServerConfig({ file, text: '', root }).config
    const read = parseServerConfig({ file, text: renderDefaultConfig({ root }), root })
    expect(read.problems).toEqual([])
    expect(read.config).toEqual({
      ...defaults,
      cache: { ...defaults.cache, storage: 'disk', disk_path: `${defaults.paths.state_dir}/cache` },
      // The file names the secrets' place of the system-wide installation.
      paths: defaults.paths,
    })
  },
)

test('every commented-out setting is a known one', () => {
  const text = renderDefaultConfig({ root: true }).replaceAll(/^# ((?:\w+ = |\[).*)$/gm, '$1')
  const { problems } = parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true })
  expect(problems).toEqual([])
})
