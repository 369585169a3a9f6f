import { describe, expect, test } from 'vitest'
import { apacheWords, rewriteWords } from '#handlers/domain/legacy/apache/apache-lines.ts'
import { readApache } from '#handlers/domain/legacy/apache/read-apache.ts'
import { readEnvvars } from '#handlers/domain/legacy/apache/read-envvars.ts'
import { IncludeStack } from '#handlers/domain/legacy/include-stack.ts'
import { Report } from '#handlers/domain/legacy/report.ts'
import type { Directive } from '#handlers/domain/legacy/types.ts'
import { memoryFiles } from './memory-files.ts'

const read = (
  text: string,
  more: Record<string, string> = {},
): { directives: Directive[]; report: Report } => {
  const files = memoryFiles({ '/etc/web/main.conf': text, ...more })
  const report = new Report()
  const { directives } = readApache(['/etc/web/main.conf'], {
    files,
    stack: new IncludeStack(files),
    report,
    serverRoot: '/etc/web',
    environment: new Map([['LOG', '/logs']]),
  })
  return { directives, report }
}

const shown = (directives: readonly Directive[]): unknown[] =>
  directives.map(({ name, args, inside, line }) => [
    line,
    name,
    ...args,
    ...(inside === null ? [] : [shown(inside)]),
  ])

describe('words', () => {
  test.each([
    ['a  b\tc', ['a', 'b', 'c']],
    ['"a b" \'c d\'', ['a b', 'c d']],
    ['"a \\"b\\" \\\\ \\n"', ['a "b" \\ \\n']],
    ["it's", ["it's"]],
    ['"open', ['open']],
    ['""', ['']],
    ['', []],
  ])('%j', (text, words) => expect(apacheWords(text)).toEqual(words))

  test.each([
    ['^/a\\ b$ "/c d" [R=301,L]', ['^/a\\ b$', '/c d', '[R=301,L]']],
    ['"^\\"x\\"$" -', ['^\\"x\\"$', '-']],
  ])('of rewriting: %j', (text, words) => expect(rewriteWords(text)).toEqual(words))
})

describe('files of Apache', () => {
  test('continuations, comments, case and nesting, with the lines they stand on', () => {
    const { directives } = read(`\uFEFF# comment \\
SERVERNAME a.test\r
<VirtualHost *:80 \\
  [::]:80>
  <Directory "/srv/a b">
    # inside
    Require all granted
  </directory>
  ServerAlias b.test \\
    c.test
</VIRTUALHOST>
`)
    // A comment goes on behind a backslash, too.
    expect(shown(directives)).toEqual([
      [
        3,
        'virtualhost',
        '*:80',
        '[::]:80',
        [
          [5, 'directory', '/srv/a b', [[7, 'require', 'all', 'granted']]],
          [9, 'serveralias', 'b.test', 'c.test'],
        ],
      ],
    ])
  })

  test('variables of Define and of the environment', () => {
    const { directives, report } = read(
      'Define D /srv/x\nDocumentRoot ${D}/y\nErrorLog ${LOG}/e ${NONE}',
    )
    expect(shown(directives)).toEqual([
      [2, 'documentroot', '/srv/x/y'],
      [3, 'errorlog', '/logs/e', '${NONE}'],
    ])
    expect(report.findings.map(({ directive }) => directive)).toEqual(['${NONE}'])
  })

  test('conditions', () => {
    const { directives } = read(`LoadModule rewrite_module modules/mod_rewrite.so
<IfModule mod_rewrite.c>
A 1
</IfModule>
<IfModule !rewrite_module>
B 1
</IfModule>
<IfModule mod_ssl.c>
C 1
<IfModule mod_rewrite.c>
D 1
</IfModule>
</IfModule>
Define X
<IfDefine X>
E 1
</IfDefine>
<IfDefine !X>
F 1
</IfDefine>
<IfVersion >= 2.4>
G 1
</IfVersion>
<IfVersion < 2.4>
H 1
</IfVersion>`)
    expect(directives.map(({ name }) => name)).toEqual(['a', 'e', 'g'])
  })

  test('includes with patterns, in order; missing ones are named', () => {
    const { directives, report } = read(
      'Include sites/*.conf\nIncludeOptional none/*\nInclude gone.conf',
      {
        '/etc/web/sites/b.conf': 'B 1',
        '/etc/web/sites/a.conf': 'A 1',
        '/etc/web/sites/a.conf.bak': 'C 1',
      },
    )
    expect(directives.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(report.findings.map(({ line, reason }) => [line, reason])).toEqual([
      [3, 'There is no such file.'],
    ])
  })

  test.each([
    ['a loop', 'Include main.conf', /main\.conf:1: "\/etc\/web\/main\.conf" includes itself/],
    ['a section that stays open', '<Directory />', /main\.conf:1: <directory> is not closed/],
    ['one that closes nothing', '</Directory>', /closes nothing/],
    ['one that closes another', '<Directory />\n</Files>', /main\.conf:2.*closes nothing/],
    ['a section without its end', '<Directory /', /must end with ">"/],
    ['deep nesting', '<If 1>\n'.repeat(60), /nest more than 50 deep/],
    ['an endless line', `A ${'x\\\n'.repeat(70_000)}`, /is longer than/],
    [
      'variables that double',
      `Define A ${'x'.repeat(3000)}\n${'Define A ${A}${A}\n'.repeat(9)}`,
      /grow to more than/,
    ],
  ])('%s is refused', (_, text, reason) => {
    expect(() => read(text)).toThrow(reason)
  })

  test('files in each other end at some depth', () => {
    const chain = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`/etc/web/${n}.conf`, `Include ${n + 1}.conf`]),
    )
    expect(() => read('Include 0.conf', { ...chain, '/etc/web/60.conf': '' })).toThrow(/32 deep/)
  })

  test('envvars are read, never run', () => {
    const found = readEnvvars(
      'export A=/x$SUFFIX\nB="$A/y"\nexport C=\'$A\'\nexport D=$(id) # x\nif true; then',
    )
    expect(Object.fromEntries(found)).toMatchObject({ A: '/x', B: '/x/y', C: '$A' })
    expect(found.get('D')).toBe('$(id)')
  })
})
