import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { H2Client } from '#test/node/web-server/support/h2-client.ts'
import { MODES } from './modes.ts'
import { startModeSites, type ModeSites } from './start-mode-site.ts'

/** `[php] max_children` where nothing is said. */
const MAX_CHILDREN = 10

/** Answers when `n` runs of it with the same `of` have begun. Where they cannot, it is silent for too long, which is a 504. */
const TOGETHER = `<?php header('Cache-Control: no-store');
$place = __DIR__ . '/../tmp/together-' . (int) $_GET['of'];
file_put_contents($place, '+', FILE_APPEND | LOCK_EX);
while (filesize($place) < $_GET['n']) { usleep(5000); clearstatcache(); }
echo 'together';`

let sites: ModeSites
let round = 0
beforeAll(async () => {
  const modes = MODES.filter(({ missing }) => missing === undefined)
  // More than one: each of them must be able to use all of PHP.
  sites = await startModeSites(modes, { workers: 2, requestTimeoutSecs: 30 })
  for (const { mode } of modes)
    await sites.site(mode).tenant.put('public_html/together.php', TOGETHER)
})
afterAll(() => sites?.stop())

describe.each(MODES)('requests at once, PHP mode $mode', ({ mode, missing }) => {
  beforeEach((context) => context.skip(missing !== undefined, missing))

  const path = (count: number): string => `/together.php?n=${count}&of=${round}`
  const whole = { status: 200, text: 'together' }

  it('run beside each other from the first on, each over a connection of its own', async () => {
    const { visit } = sites.site(mode)
    for (const count of [6, MAX_CHILDREN]) {
      round++
      const visits = Array.from({ length: count }, () => visit(path(count)))
      for (const { status, text } of await Promise.all(visits))
        expect({ status, text }).toEqual(whole)
    }
  })

  it('run beside each other, as many as PHP may have processes, when one worker has them all', async () => {
    const { instance, tenant } = sites.site(mode)
    round++
    const client = await H2Client.open(instance.webSslPort, tenant.domain)
    try {
      const answers = await Promise.all(
        Array.from({ length: MAX_CHILDREN }, () => client.get(path(MAX_CHILDREN))),
      )
      for (const { status, body } of answers) expect({ status, text: body }).toEqual(whole)
    } finally {
      client.session.destroy()
    }
  })

  it('are all answered where there are more of them', async () => {
    const { visit } = sites.site(mode)
    round++
    const visits = Array.from({ length: 3 * MAX_CHILDREN }, () => visit(path(MAX_CHILDREN)))
    for (const { status, text } of await Promise.all(visits))
      expect({ status, text }).toEqual(whole)
  })
})
