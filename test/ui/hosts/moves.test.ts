import type { Locator, Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { outOfCards } from '../support/looks/out-of-cards.ts'
import { smallTargets } from '../support/looks/small-targets.ts'
import { stopTransitions } from '../support/looks/stop-transitions.ts'
import { createAccount, setUpByApi } from '../support/log-in.ts'
import { page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'
import { settle } from '../support/screens.ts'

const PHONE = { width: 360, height: 740 }
const DESK = { width: 1440, height: 900 }
const AT = '2026-11-20 10:00:00'
const JOB = {
  ...{ id: 'j1', kind: 'account.relocate', subject: 'lena', account_id: 1, state: 'running' },
  ...{ progress: 30, step: 'Copying the files while the sites go on', detail: null, result: null },
  ...{ error: null, status: null, created_at: AT, started_at: AT, finished_at: null },
}
const MOVED = {
  ...{ username: 'lena', from: 'local', to: 'two', down_secs: 4, entries: 310, bytes: 2_000_000 },
  ...{ skipped: 2, skipped_paths: ['run/app.sock', 'public_html/<b>out</b>'] },
  copy_until: '2026-11-27 10:00:00',
}

/** What axe, a phone and a card find wrong with what is open, in both themes. */
const look = async (name: string): Promise<void> => {
  await stopTransitions(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await settle(page)
    expect(await violationsOf(page)).toEqual([])
  }
  await page.setViewportSize(PHONE)
  await settle(page)
  expect([...(await outOfCards(page)), ...(await smallTargets(page))]).toEqual([])
  await watched.screenshot(name)
  await page.setViewportSize(DESK)
}

/** Answers for a job: asked for at `path` it runs, until `end` tells what became of it. */
const playJob = async (path: string, job = JOB) => {
  let tell = (_: object): void => undefined
  const ended = new Promise<object>((resolve) => {
    tell = resolve
  })
  const sent: unknown[] = []
  await page.route(path, (route: Route) => {
    sent.push(route.request().postDataJSON())
    return route.fulfill({ status: 202, json: { ok: true, data: { job_id: job.id } } })
  })
  await page.route(`**/api/jobs/${job.id}`, (route) =>
    route.fulfill({ json: { ok: true, data: job } }),
  )
  await page.route('**/api/jobs?*', (route) => route.fulfill({ json: { ok: true, data: [job] } }))
  await page.route('**/api/jobs/events', async (route) => {
    const data = JSON.stringify({ ...job, ...(await ended), finished_at: AT })
    await route.fulfill({ contentType: 'text/event-stream', body: `event: job\ndata: ${data}\n\n` })
  })
  return { sent, end: tell }
}
const choose = async (row: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}
/** Opens it and closes it by every way that there is. */
const closesByEveryWay = async (open: () => Promise<Locator>, button: string): Promise<void> => {
  const ways: ((dialog: Locator) => Promise<void>)[] = [
    () => page.keyboard.press('Escape'),
    (dialog) => dialog.getByRole('button', { name: button, exact: true }).last().click(),
    (dialog) => dialog.getByRole('button', { name: 'Close', exact: true }).first().click(),
    () => page.mouse.click(5, 5),
  ]
  for (const close of ways) {
    const dialog = await open()
    await dialog.waitFor()
    await settle(page)
    await close(dialog)
    await dialog.waitFor({ state: 'detached' })
  }
}

describe('moves between machines', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
    await createAccount(page, 'otto')
    await panel.addAwayHost('three')
  })

  it('are offered only where another machine is open', async () => {
    await page.goto('/accounts')
    await page.getByText('Machine', { exact: true }).first().waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Actions for lena', exact: true }).click()
    await page.getByRole('menuitem').first().waitFor()
    expect(
      await page.getByRole('menuitem', { name: 'Move to another machine', exact: true }).count(),
    ).toBe(0)
    await page.keyboard.press('Escape')
    await panel.addHost('two')
  })

  it('of an account ask for the machine, go on by themselves, and tell what did not move', async () => {
    const job = await playJob('**/api/accounts/1/relocate')
    for (const path of ['/accounts/lena', '/accounts'] as const) {
      await page.goto(path)
      await expect
        .poll(async () => {
          await page.getByRole('button', { name: 'Actions for lena', exact: true }).click()
          await page.getByRole('menuitem').first().waitFor()
          const items = await page.getByRole('menuitem').allTextContents()
          await page.keyboard.press('Escape')
          return items.map((item) => item.trim())
        })
        .toContain('Move to another machine')
    }
    const open = async () => {
      await choose('lena', 'Move to another machine')
      return page.getByRole('dialog', { name: 'Move lena to another machine' })
    }
    await closesByEveryWay(open, 'Cancel')
    const form = await open()
    // Neither the one that it is on, nor one that is away.
    expect(await form.getByLabel('Machine').locator('option').allTextContents()).toEqual(['two'])
    await look('relocate-drawer')
    await form.getByRole('button', { name: 'Move account' }).click()
    const running = page.getByRole('dialog', { name: 'Moving lena' })
    await running.getByText(JOB.step).waitFor()
    expect(job.sent).toEqual([{ host: 'two' }])
    await look('relocate-running')
    job.end({ state: 'done', progress: 100, status: 200, result: MOVED })
    const done = page.getByRole('dialog', { name: 'lena is on two now' })
    await done.getByText('2 entries did not move').waitFor()
    await done.getByText('public_html/<b>out</b>').waitFor()
    await done.getByText(/^On local until /).waitFor()
    await done.getByText('4 seconds').waitFor()
    await look('relocate-done')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('that are refused say so in the form; what failed is told even when the drawer is closed', async () => {
    await page.goto('/accounts')
    await page.route('**/api/accounts/1/relocate', (route) =>
      route.fulfill({ status: 409, json: { ok: false, error: 'The host two lacks PHP 8.3.' } }),
    )
    await choose('lena', 'Move to another machine')
    const form = page.getByRole('dialog', { name: 'Move lena to another machine' })
    await form.getByRole('button', { name: 'Move account' }).click()
    await form.getByText('The host two lacks PHP 8.3.').waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    const job = await playJob('**/api/accounts/1/relocate', { ...JOB, id: 'j2' })
    await form.getByRole('button', { name: 'Move account' }).click()
    const running = page.getByRole('dialog', { name: 'Moving lena' })
    await running.getByRole('button', { name: 'Go on in the background' }).click()
    await running.waitFor({ state: 'detached' })
    job.end({ state: 'failed', status: 503, error: 'It stays where it was, and works there.' })
    await page.getByText('It stays where it was, and works there.').first().waitFor()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('of all accounts of a machine tell how many first, and which have stayed', async () => {
    const job = await playJob('**/api/hosts/local/drain', {
      ...{ ...JOB, id: 'j3', kind: 'host.drain', subject: 'local' },
    })
    await page.goto('/settings?tab=hosts')
    const open = async () => {
      await choose('local', 'Move all accounts off it')
      return page.getByRole('dialog', { name: 'Move all accounts off local' })
    }
    await closesByEveryWay(open, 'Cancel')
    const form = await open()
    await form.getByText(/^2 accounts move to machines/).waitFor()
    await look('drain-drawer')
    await form.getByRole('button', { name: 'Move accounts' }).click()
    await page.getByRole('dialog', { name: 'Moving all accounts off local' }).waitFor()
    const failed = [{ username: 'otto', error: 'It lacks PHP 8.3.' }]
    job.end({ state: 'done', result: { host: 'local', moved: ['lena'], failed } })
    const done = page.getByRole('dialog', { name: '1 account moved off local, 1 stayed' })
    await done.getByText('It lacks PHP 8.3.').waitFor()
    await look('drain-done')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('leave copies, which are listed with their end and can be removed sooner', async () => {
    let copies = [
      { username: 'lena', until: '2099-01-01 00:00:00' },
      { username: 'otto', until: null },
    ]
    await page.route('**/api/hosts/local/copies', (route) =>
      route.fulfill({ json: { ok: true, data: copies } }),
    )
    await page.route('**/api/hosts/local/copies/lena', (route) => {
      copies = copies.slice(1)
      return route.fulfill({ json: { ok: true, data: { username: 'lena', deleted: true } } })
    })
    await page.goto('/settings?tab=hosts')
    const open = async () => {
      await choose('local', 'Copies left by moves')
      return page.getByRole('dialog', { name: 'Copies left on local' })
    }
    await closesByEveryWay(open, 'Close')
    const drawer = await open()
    await drawer.getByText(/^Goes in \d+ years$/).waitFor()
    await drawer.getByText(/goes as soon as the machine answers/).waitFor()
    await look('copies-drawer')
    await drawer.locator('[data-copy=lena]').getByRole('button', { name: 'Remove now' }).click()
    const question = page.getByRole('dialog', { name: 'Remove the copy of lena?' })
    await question.getByLabel('Type lena to confirm').fill('lena')
    await look('copy-remove')
    await question.getByRole('button', { name: 'Remove now' }).click()
    await page.getByText('Copy of lena removed').waitFor()
    await drawer.locator('[data-copy=lena]').waitFor({ state: 'detached' })
    expect(await drawer.locator('[data-copy=otto]').count()).toBe(1)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})
