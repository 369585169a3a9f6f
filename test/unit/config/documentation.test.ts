import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ZodObject, ZodOptional } from 'zod'
import { SECTION_SCHEMAS, VIRTUAL_HOST_SCHEMA } from '#handlers/domain/config/schema.ts'
import { parseServerConfig } from '#handlers/domain/config/server-config.ts'

const TEXT = readFileSync(new URL('../../../docs/web-server.md', import.meta.url), 'utf8')

/** Keys of the table under a heading. */
const documented = (section: string): string[] => {
  const [, after = ''] = TEXT.split(
    new RegExp(`^#+ \`${section.replaceAll(/[[\].]/g, '\\$&')}\`$`, 'm'),
  )
  const [body = ''] = after.split(/^#/m)
  return [...body.matchAll(/^\| `(\w+)`/gm)].map(([, key = '']) => key)
}

const objectOf = (schema: unknown): Record<string, unknown> => {
  const inner = schema instanceof ZodOptional ? schema.unwrap() : schema
  return inner instanceof ZodObject ? inner.shape : {}
}
const host = objectOf(VIRTUAL_HOST_SCHEMA)
const parts = ['php', 'proxy', 'cache'] as const
const tables: [string, string[]][] = [
  [
    '[[virtualhost]]',
    Object.keys(host).filter((key) => key !== 'backends' && !parts.some((part) => part === key)),
  ],
  ...parts.map((part): [string, string[]] => [
    `[virtualhost.${part}]`,
    Object.keys(objectOf(host[part])),
  ]),
  ...Object.entries(SECTION_SCHEMAS)
    .filter(([name]) => name !== 'include')
    .map(([name, schema]): [string, string[]] => [`[${name}]`, Object.keys(objectOf(schema))]),
]

describe('docs/web-server.md', () => {
  test.each(tables)('has every key of %s and no other', (section, keys) => {
    expect(keys.length).toBeGreaterThan(0)
    expect(documented(section).sort()).toEqual(keys.sort())
  })

  test('has examples that are correct, also together', () => {
    const examples = [...TEXT.matchAll(/^```toml\n([^]*?)^```$/gm)].map(([, text = '']) => text)
    expect(examples.length).toBeGreaterThan(4)
    for (const text of [...examples, examples.join('\n')])
      expect(
        parseServerConfig({ file: '/etc/berth/berth.toml', text, root: true }).problems,
      ).toEqual([])
  })
})
