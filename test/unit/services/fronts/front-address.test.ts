import { expect, it } from 'vitest'
import { frontAddress } from '#handlers/domain/fronts/front-address.ts'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'

it.each([
  'x y:7443',
  'x"y:7443',
  'x\ny:7443',
  '10.0.0.2:99999',
  '10.0.0.2:0',
  '0.0.0.0:99999',
  '[::::]:1',
  `${'x'.repeat(400)}:1`,
])('what is no address is none to ask a host at: %j', (listen) => {
  expect(frontAddress([listen], '192.0.2.2:7072')).toBeNull()
  expect(frontAddress([listen, '10.0.0.2:7443'], '192.0.2.2:7072')).toBe('10.0.0.2:7443')
})

it.each([
  '10.0.0.2:7443',
  '[2001:db8::7]:7443',
  'host.example:1',
  '0.0.0.0:7443',
  '[::]:7443',
  '*:7443',
])('where a host listens is what a front takes: %s', (listen) => {
  const at = frontAddress([listen], '192.0.2.2:7072')
  expect(parseProxyUpstream(`https://${at}`)).toMatchObject({ kind: 'tcp' })
})
