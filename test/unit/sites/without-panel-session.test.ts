import { describe, expect, it } from 'vitest'
import { QuickHeaders } from '#adapters/node/messages/quick-headers.ts'
import { QuickRequest } from '#adapters/node/messages/quick-request.ts'
import { withoutPanelSession } from '#handlers/sites/origins/without-panel-session.ts'

const CASES = [
  ['panel_token=secret', null],
  ['a=1; panel_token=secret; b=2', 'a=1; b=2'],
  ['panel_token=secret;a=1', 'a=1'],
  [' panel_token =secret; a=1', 'a=1'],
  ['Panel_Token=one; panel_token=two; a=1', 'a=1'],
  ['panel_token; a=1', 'a=1'],
  ['a=panel_token', 'a=panel_token'],
  ['my_panel_token=1; panel_token2=2', 'my_panel_token=1; panel_token2=2'],
] as const

describe('a request to a site', () => {
  it.each(CASES)('with the cookies %j keeps %j', (cookie, left) => {
    const quick = new QuickRequest(
      'GET',
      'http://a.test/',
      new QuickHeaders([['cookie', cookie]]),
      () => new AbortController().signal,
    )
    expect(withoutPanelSession(quick).headers.get('cookie')).toBe(left)
    const own = new Request('http://a.test/', { headers: { cookie, 'x-other': '1' } })
    const kept = withoutPanelSession(own).headers
    expect([kept.get('cookie'), kept.get('x-other')]).toEqual([left, '1'])
  })

  it('is the same object where there is nothing to take away', () => {
    for (const headers of [{}, { cookie: 'a=1' }]) {
      const request = new Request('http://a.test/', { headers })
      expect(withoutPanelSession(request)).toBe(request)
    }
  })

  it('keeps its body', async () => {
    const request = new Request('http://a.test/', {
      method: 'POST',
      body: 'text',
      headers: { cookie: 'panel_token=secret' },
    })
    expect(await withoutPanelSession(request).text()).toBe('text')
  })
})
