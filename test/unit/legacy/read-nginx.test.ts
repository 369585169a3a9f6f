import { describe, expect, test } from 'vitest'
import { IncludeStack } from '#handlers/domain/legacy/include-stack.ts'
import { readNginx } from '#handlers/domain/legacy/nginx/read-nginx.ts'
import { Report } from '#handlers/domain/legacy/report.ts'
import type { Directive } from '#handlers/domain/legacy/types.ts'
import { memoryFiles } from './memory-files.ts'

const read = (text: string, more: Record<string, string> = {}): Directive[] => {
  const files = memoryFiles({ '/etc/web/main.conf': text, ...more })
  const stack = new IncludeStack(files)
  return readNginx(['/etc/web/main.conf'], {
    files,
    stack,
    report: new Report(),
    prefix: '/etc/web',
  })
}
const shown = (directives: readonly Directive[]): unknown[] =>
  directives.map(({ name, args, inside, line }) => [
    line,
    name,
    ...args,
    ...(inside === null ? [] : [shown(inside)]),
  ])

describe('files of nginx', () => {
  test('blocks, quotes, comments and lines', () => {
    expect(
      shown(
        read(`# comment { ;
server{listen 80;server_name a.test
  "b c"; # end
  location ~ "\\.(php|x{2})$" { return 200 'it is "so"'; }
  location ~ \\.css$ {}
  set $x "\${host}a\\"b";
}`),
      ),
    ).toEqual([
      [
        2,
        'server',
        [
          [2, 'listen', '80'],
          [2, 'server_name', 'a.test', 'b c'],
          [4, 'location', '~', '\\.(php|x{2})$', [[4, 'return', '200', 'it is "so"']]],
          [5, 'location', '~', '\\.css$', []],
          [6, 'set', '$x', '${host}a"b'],
        ],
      ],
    ])
  })

  test('a brace of a variable opens no block', () => {
    expect(shown(read('root /srv/${host}/x;'))).toEqual([[1, 'root', '/srv/${host}/x']])
  })

  test('code of another language is left out', () => {
    expect(shown(read('content_by_lua_block { if a then { b; } end }\nlisten 80;'))).toEqual([
      [1, 'content_by_lua_block'],
      [2, 'listen', '80'],
    ])
  })

  test('includes where they stand', () => {
    const tree = read('server { include snippets/*.conf; listen 80; }', {
      '/etc/web/snippets/a.conf': 'root /srv/a;',
      '/etc/web/snippets/b.conf': 'index a.html;',
    })
    expect(tree[0]?.inside?.map(({ name }) => name)).toEqual(['root', 'index', 'listen'])
  })

  test.each([
    ['a loop', 'include main.conf;', /includes itself/],
    ['an open quote', 'root "/srv', /a quote does not end/],
    ['an open block', 'server { listen 80;', /"server" is not closed/],
    ['a brace too many', 'server { } }', /closes nothing/],
    ['a missing semicolon', 'listen 80', /does not end with ";"/],
    ['a missing semicolon in a block', 'server { listen 80 }', /does not end with ";"/],
    ['a brace alone', '{ }', /stands alone/],
    ['deep nesting', 'a {'.repeat(60), /nest more than 50 deep/],
    ['an endless word', `root ${'x'.repeat(70_000)};`, /is longer than/],
  ])('%s is refused', (_, text, reason) => {
    expect(() => read(text)).toThrow(reason)
  })
})
