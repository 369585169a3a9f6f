import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Berth } from '#test/cli/support/run-berth.ts'
import { randomUsername } from '#test/support/panel-client.ts'
import { instance, panel, shareInstance } from '#test/support/setups/shared-instance.ts'
import { wordpressTree } from '../support/wordpress-tree.ts'

const tree = await wordpressTree()
const PAGE = join(import.meta.dirname, '../../../docs/wordpress.md')
const names = { alice: randomUsername(), bob: randomUsername() }

/** The page's commands in their order, for the accounts of this test. */
const commands = readFileSync(PAGE, 'utf8')
  .split('\n')
  .filter((line) => /^berth wordpress (?:install|stage|push|clone) /.test(line))
  .map((line) =>
    line
      .slice('berth '.length)
      .replaceAll(/\balice\b/g, names.alice)
      .replaceAll(/\bbob\b/g, names.bob)
      .match(/"[^"]*"|\S+/g)!
      .map((word) => word.replace(/^"(.*)"$/, '$1')),
  )

shareInstance({ append: `[wordpress]\nofficial = false\nsources = [${JSON.stringify(tree)}]` })

describe('docs/wordpress.md', () => {
  test('its commands lead from nothing to a site, a staging copy, back, and to a clone', async () => {
    for (const name of [names.alice, names.bob])
      await panel.data('POST', '/api/accounts', {
        ...{ username: name, domain: `${name}.example`, email: `${name}@mail.example` },
        ...{ password: `Pw-${name}-8x`, plan: 'pro' },
      })
    const berth = new Berth('--config', instance.config.file)
    expect(commands.map(([, what]) => what)).toEqual(['install', 'stage', 'push', 'push', 'clone'])
    try {
      for (const [group = '', what = '', ...words] of commands) {
        const { code, stderr } = await berth.run(`${group} ${what}`, words)
        expect([what, code, stderr]).toEqual([what, 0, expect.anything()])
      }
    } finally {
      berth.remove()
    }
    for (const host of [
      `${names.alice}.example`,
      `staging.${names.alice}.example`,
      `shop.${names.bob}.example`,
    ]) {
      const { status, text } = await instance.site(host, '/hello-world/')
      expect([host, status]).toEqual([host, 200])
      expect(text).toContain(`http://${host}`)
    }
  })
})
