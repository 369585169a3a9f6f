import { describe, expect, it } from 'vitest'
import { PatternError } from '#handlers/sites/rewrite/pattern/pattern.ts'
import { parseTemplate } from '#handlers/sites/rewrite/template.ts'

describe('templates', () => {
  it.each([
    [
      '/a$1%2',
      [
        { kind: 'text', text: '/a' },
        { kind: 'rule', group: 1 },
        { kind: 'condition', group: 2 },
      ],
    ],
    ['\\$1', [{ kind: 'text', text: '$1' }]],
    [
      '}{%{A}',
      [
        { kind: 'text', text: '}{' },
        { kind: 'variable', name: 'A' },
      ],
    ],
    ['%{ENV:a{b}c}', [{ kind: 'variable', name: 'ENV:a{b}c' }]],
    ['%{a', [{ kind: 'text', text: '%{a' }]],
    ['%{a{b}', [{ kind: 'text', text: '%{a{b}' }]],
    [
      '%{a%{b}',
      [
        { kind: 'text', text: '%{a' },
        { kind: 'variable', name: 'b' },
      ],
    ],
    ['${lc}', [{ kind: 'map', name: 'lc', argument: [] }]],
    [
      '${LC:${uc:$1}:%{B}}',
      [
        {
          kind: 'map',
          name: 'lc',
          argument: [
            { kind: 'map', name: 'uc', argument: [{ kind: 'rule', group: 1 }] },
            { kind: 'text', text: ':' },
            { kind: 'variable', name: 'B' },
          ],
        },
      ],
    ],
    ['${lc:\\}', [{ kind: 'map', name: 'lc', argument: [{ kind: 'text', text: '\\' }] }]],
  ])('%s', (source, parts) => {
    expect(parseTemplate(source)).toEqual(parts)
  })

  it.each(['%{'.repeat(1024), '${'.repeat(1024), `${'%{a'.repeat(512)}${'}'.repeat(512)}`])(
    'read each character once: %s',
    (source) => {
      const startedMs = performance.now()
      for (let n = 0; n < 200; n++) parseTemplate(source)
      // Looked at again from each brace, 200 take a second.
      expect(performance.now() - startedMs).toBeLessThan(400)
    },
  )

  it('have bounds', () => {
    expect(parseTemplate('a'.repeat(2048))).toHaveLength(1)
    expect(() => parseTemplate('a'.repeat(2049))).toThrow('longer than 2048 characters')
    const deep = `${'${a:'.repeat(30)}${'}'.repeat(30)}`
    expect(() => parseTemplate(deep)).toThrow(PatternError)
  })
})
