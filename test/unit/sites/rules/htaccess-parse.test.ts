import { describe, expect, it } from 'vitest'
import { DirectiveError } from '#handlers/sites/htaccess/directives/directive-error.ts'
import { parseLines, rawWordsOf, wordsOf } from '#handlers/sites/htaccess/files/parse-lines.ts'
import { parseRules, parseRulesInSlices } from '#handlers/sites/htaccess/files/parse-rules.ts'

describe('the form of .htaccess', () => {
  it('joins lines, leaves comments out, ignores case and nests sections', () => {
    const text = `# comment
REDIRECT /a \\
  /b\r
<IfModule mod_rewrite.c>
  <files "x y">
    require all denied
  </FILES>
</ifmodule>`
    expect(parseLines(text)).toEqual([
      { name: 'redirect', text: '/a   /b', line: 2, inside: null },
      {
        name: 'ifmodule',
        text: 'mod_rewrite.c',
        line: 4,
        inside: [
          {
            name: 'files',
            text: '"x y"',
            line: 5,
            inside: [{ name: 'require', text: 'all denied', line: 6, inside: null }],
          },
        ],
      },
    ])
  })

  it('takes lines of 8192 characters, counted with what continues them', () => {
    const long = 'a'.repeat(8192)
    expect(parseLines(`${long}\n${long}`)).toHaveLength(2)
    expect(() => parseLines(`b\n${long}a`)).toThrow('line 2 is longer than 8192 characters')
    const joined = `${'abc \\\n'.repeat(1500)}d`
    expect(parseLines(joined)[0]?.text).toHaveLength(1499 * 4 + 1)
    expect(() => parseLines(`# x\n${'abc \\\n'.repeat(1700)}d`)).toThrow('line 2 is longer')
  })

  it('takes so many directives, and lists of addresses and of moved pages beside them', () => {
    const lines = (count: number, line: string): string => `${line}\n`.repeat(count)
    const lists = `${lines(2500, 'Deny from 10.0.0.1')}${lines(2500, 'Redirect /a /b')}`
    expect(parseLines(`${lists}${lines(2000, 'AddType a/b .c')}`)).toHaveLength(7000)
    expect(() => parseLines(`${lists}${lines(2001, 'AddType a/b .c')}`)).toThrow(
      'line 7001: the file has more than 2000 directives',
    )
    const sections = `<Files x>\n</Files>\n`
    expect(parseLines(sections.repeat(2000))).toHaveLength(2000)
    expect(() => parseLines(sections.repeat(2001))).toThrow('more than 2000 directives')
    const requests = lines(250, 'RequestHeader set X a')
    expect(parseLines(`${requests}${lines(250, 'Header set X a')}`)).toHaveLength(500)
    expect(() => parseLines(`${requests}${lines(251, 'Header set X a')}`)).toThrow(
      'line 501: the file has more than 500 header rules',
    )
  })

  it('splits words', () => {
    expect(wordsOf(`set "a \\"b\\"" 'c d' e\\ f`)).toEqual(['set', 'a "b"', 'c d', 'e\\', 'f'])
    expect(rawWordsOf('^a\\ b$ "c d" [L,E=x:y]')).toEqual(['^a\\ b$', 'c d', '[L,E=x:y]'])
  })

  it.each([
    '<Files x>',
    '</Files>',
    '<Files x>\n</FilesMatch>',
    '<Files x',
    'RewriteEngine maybe',
    'RewriteRule ^a b [XY]',
    'RewriteRule ( b',
    'Require all maybe',
    'Require ip 300.1.1.1',
    'Order sideways',
    'Redirect old /new',
    'ErrorDocument 200 x',
    'ExpiresByType text/css soon',
    'Header frob X y',
    'SetEnvIf User-Agent [ x',
    '<If "unknown(1)">\n</If>',
    '<If "%{X} -frob 1">\n</If>',
  ])('refuses %j', (text) => {
    expect(() => parseRules(text, '/')).toThrow(Error)
    try {
      parseRules(text, '/')
    } catch (error) {
      expect(error).toBeInstanceOf(DirectiveError)
    }
  })

  it('lists what it does not know, also inside sections that do not apply', () => {
    const { unknown } = parseRules('Frob 1\n<IfModule nothing.c>\nHidden 1\n</IfModule>', '/')
    expect(unknown).toEqual(['frob'])
  })

  it.each([
    ['RewriteRule .* - [E=A:%{HTTP:Authorization}]', ['authorization']],
    ['RewriteCond %{HTTP_COOKIE} x\nRewriteRule a b', ['cookie']],
    ['Require ip 10.0.0.1', ['address']],
    ['SetEnvIf User-Agent x y', ['header']],
    ['RewriteCond %{QUERY_STRING} x\nRewriteRule a b', ['query']],
    ['RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule a b', ['none']],
    ['Require all denied', []],
  ])('knows what %s looks at', (text, dependencies) => {
    expect([...parseRules(text, '/').dependencies]).toEqual(dependencies)
  })
})

describe('reading .htaccess in slices', () => {
  const pausesOf = async (text: string): Promise<number> => {
    let count = 0
    await parseRulesInSlices(text, { directory: '/' }, () => Promise.resolve(void count++))
    return count
  }
  const filled = (line: string): string =>
    `${line}\n`.repeat(Math.min(1900, (128 * 1024) / (line.length + 1)))

  it('lets others have their turn behind some thousand characters, also within sections', async () => {
    const pattern = (length: number): string => `RewriteRule ${'a*'.repeat(length)} -`
    const flat = filled(pattern(25))
    for (const [text, least] of [
      [flat, 30],
      [filled(`RewriteRule a b [${'E=a:b,'.repeat(1350)}L]`), 15],
      [`<IfModule mod_rewrite.c>\n<Files x>\n${flat}</Files>\n</IfModule>`, 30],
      ['<If "true">\n</If>\n'.repeat(1900), 15],
    ] as const) {
      expect(await pausesOf(text), text.slice(0, 40)).toBeGreaterThanOrEqual(least)
    }
  })

  it('reads what sites have at once', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `RewriteRule ^old-${at}$ /new-${at} [L]`)
    expect(await pausesOf(lines.join('\n'))).toBe(0)
  })

  it('finds the same as at once, and what is wrong', async () => {
    const text = `${'RewriteRule a b\n'.repeat(500)}Frob x`
    const read = await parseRulesInSlices(text, { directory: '/' })
    const { block, unknown, dependencies } = parseRules(text, '/')
    expect(read.block.steps).toHaveLength(block.steps.length)
    expect([read.unknown, read.dependencies]).toEqual([unknown, dependencies])
    await expect(parseRulesInSlices(`${text}\n</Files>`, { directory: '/' })).rejects.toThrow(
      'line 502: </Files> closes nothing',
    )
  })
})
