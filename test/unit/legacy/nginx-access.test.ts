import { parse } from 'smol-toml'
import { describe, expect, test } from 'vitest'
import { convertText, remarks } from './memory-files.ts'

const convert = (inside: string) => {
  const conversion = convertText(
    'nginx',
    `server {\nlisten 80;\nserver_name a.test;\nroot /srv/a;\n${inside}\n}`,
  )
  const { virtualhost } = parse(conversion.hosts.map(({ toml }) => toml).join('\n')) as {
    virtualhost: { rules: string }[]
  }
  const rules = (virtualhost[0]?.rules ?? '').replace('FallbackResource disabled\n', '')
  return { rules, remarks: remarks(conversion) }
}
const CLOSED = 'Require all denied\n'
const closedAt = (pattern: string): string =>
  `<If "%{REQUEST_URI} =~ m#${pattern}#">\n  Require all denied\n</If>\n`

describe('what Berth cannot ask', () => {
  test.each([
    ['auth_request /auth;', CLOSED],
    ['ssl_verify_client on;', CLOSED],
    ['location /p { auth_request /auth; }', closedAt('^/p')],
    ['auth_request /auth; location /p { auth_request off; }', /<Else>\n {2}Require all denied/],
  ])('%s closes', (inside, rules) => {
    const found = convert(inside)
    if (typeof rules === 'string') expect(found.rules).toBe(rules)
    else expect(found.rules).toMatch(rules)
    expect(found.remarks).toEqual([expect.stringMatching(/^lost 5 .* so the place is closed/)])
  })

  test('limit_except closes the other methods', () => {
    const { rules, remarks } = convert('location / { limit_except GET { deny all; } }')
    expect(rules).toBe(
      '<If "!(%{REQUEST_METHOD} =~ m#^(?:GET|HEAD)$#)">\n  Require all denied\n</If>\n',
    )
    expect(remarks).toEqual([])
  })

  test('a closed place whose pattern is not understood is named as one', () => {
    expect(convert('location ~ ^/(?<n>x)(?(1)a|b) { deny all; }').remarks).toEqual([
      expect.stringMatching(/^lost 5 .* is not understood/),
      expect.stringMatching(/^lost 5 .* It kept visitors out/),
    ])
  })
})

describe('locations that led away from the root', () => {
  test.each([
    ['location /s { alias /other; }', '^/s'],
    ['location /r { root /other; }', '^/r'],
    ['location /api/ { proxy_pass http://$chosen; }', '^/api/'],
    ['location ~ [.]py$ { uwsgi_pass unix:/x; }', '[.]py$'],
  ])('%s shows no files of the root', (inside, pattern) => {
    const { rules, remarks } = convert(inside)
    expect(rules).toBe(closedAt(pattern))
    expect(remarks).toContain(
      `changed 5 <location ${inside.split(' ')[1]}>: Files of the root under this path were not to be seen; they are closed.`,
    )
  })

  test('the application of the whole site answers them', () => {
    const { rules } = convert(
      'location / { proxy_pass http://127.0.0.1:3; }\nlocation ~ ^/x { proxy_pass http://127.0.0.1:3; }',
    )
    expect(rules).not.toContain('Require')
  })

  test('rules of access do not open them', () => {
    const { rules } = convert('location /api/ { allow 10.0.0.1; deny all; grpc_pass x:1; }')
    expect(rules).toBe(closedAt('^/api/'))
  })

  test.each([
    'location /r { root /srv/a; }',
    'location ~ [.]php$ { root html; fastcgi_pass unix:/p; }',
  ])('%s stays as it is', (inside) => {
    expect(convert(inside).rules).not.toContain('Require')
  })
})
