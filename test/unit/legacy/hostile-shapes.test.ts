import { describe, expect, test } from 'vitest'
import { convertText, remarks } from './memory-files.ts'
import { APACHE_SHAPES } from './shapes/apache-shapes.ts'
import { NGINX_SHAPES } from './shapes/nginx-shapes.ts'
import { USUAL_SIZE } from './shapes/shape.ts'

describe.each([
  ['nginx', NGINX_SHAPES],
  ['apache', APACHE_SHAPES],
] as const)('%s', (kind, shapes) => {
  test.each(shapes.map((shape) => [shape.name, shape] as const))(
    'comes to an end with %s',
    { timeout: 120_000 },
    (_, { make, size = USUAL_SIZE, says, lost }) => {
      const { text, more } = make(size)
      if (says !== undefined) {
        // Which place it is about is said first.
        expect(() => convertText(kind, text, more)).toThrow(
          new RegExp(`^/etc/web/[a-z0-9]+\\.conf:\\d+: .*${says.source}`),
        )
        return
      }
      const made = convertText(kind, text, more)
      expect(made.hosts.length).toBeGreaterThan(0)
      if (lost !== undefined) expect(remarks(made).some((line) => lost.test(line))).toBe(true)
    },
  )
})
