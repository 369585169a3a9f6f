import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { comparable } from '../support/compare.ts'
import { startBoth, type BothServers } from './both.ts'
import { EXAMPLES } from './applications/index.ts'
import { pageFile, readPage } from './page.ts'

let servers: BothServers
beforeAll(async () => {
  servers = await startBoth(EXAMPLES)
  // `BERTH_WRITE_EXAMPLES=1` writes what the pages show of the converter's work.
  if (process.env['BERTH_WRITE_EXAMPLES'] !== '1') return
  for (const [name, { toml, report }] of servers.converted) {
    const file = pageFile(name)
    const filled = readFileSync(file, 'utf8')
      .replace(/^```toml\n[\s\S]*?^```$/m, () => `\`\`\`toml\n${toml}\`\`\``)
      .replace(/^```text\n[\s\S]*?^```$/m, () => `\`\`\`text\n${report}\`\`\``)
    writeFileSync(file, filled)
  }
})
afterAll(async () => {
  await servers?.stop()
})

describe.each(EXAMPLES)('$name', (example) => {
  test('the page shows what the converter makes, and all of its report', () => {
    const page = readPage(example.name)
    const { toml, report } = servers.converted.get(example.name) ?? { toml: '', report: '' }
    expect(page.toml).toBe(toml)
    expect(page.report).toBe(report)
    const main = page.server === 'nginx' ? '/etc/nginx' : '/etc/apache2'
    expect(page.command).toMatch(
      new RegExp(`^npx berth config convert-legacy --input ${main}/\\S+ .*--vhosts-only`, 'm'),
    )
  })

  test('nothing is lost without a word in the page about it', () => {
    const text = readFileSync(pageFile(example.name), 'utf8')
    const lost = (servers.converted.get(example.name)?.report ?? '').match(/^lost: .*$/gm) ?? []
    expect(text.includes('## What is left to do')).toBe(lost.length > 0)
  })

  test.each(example.asks.map((ask) => [JSON.stringify(ask.slice(0, 2)), ask] as const))(
    '%s',
    async (_, ask) => {
      const answers = await servers.ask(example, ask)
      const source = comparable(answers.source, ask, example.host)
      const berth = comparable(answers.berth, ask, example.host)
      const differs = ask[1]?.differs
      if (differs === undefined) expect(berth).toEqual(source)
      else {
        expect(berth, differs[1]).not.toEqual(source)
        expect(berth.status, differs[1]).toBe(differs[0])
      }
    },
  )
})
