import { describe, expect, it } from 'vitest'
import { sampled } from '#test/support/sampled.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { callApi } from '../support/log-in.ts'
import { DIALOGS, leave, pagesOf, visitNext } from '../support/screens.ts'
import { seedHost } from '../support/seed-host.ts'
import { seed } from '../support/seed.ts'
import { page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

/** Markup and script in every way in which a page could take it for its own. */
const EVIL = '<img src=x onerror=window.evil=1>"\'`${window.evil=1}{{evil}}'
const EVIL_BLOCK = `</script></textarea></title><script>window.evil=1</script>${EVIL}`
const TOKEN = EVIL.slice(0, 60)

describe('markup in names', () => {
  panelInBrowser(
    async () => {
      await seed(page, {
        reason: EVIL_BLOCK,
        file: EVIL,
        token: TOKEN,
        content: EVIL_BLOCK,
      })
      await seedHost(panel, EVIL_BLOCK)
      await callApi(page, 'POST', '/api/users', { username: EVIL, password: 'correct horse 9' })
      // A job that fails with a stranger's words.
      await panel.breakHost('backups.start', EVIL_BLOCK)
      await callApi(page, 'POST', '/api/backups/accounts/2', undefined, { Prefer: 'respond-async' })
      await waitFor(async () => {
        const { body } = await callApi(page, 'GET', '/api/jobs')
        expect(JSON.stringify(body)).toContain('"state":"failed"')
      })
      await panel.mend()
    },
    { reducedMotion: 'reduce' },
  )

  const injected = (): Promise<boolean> =>
    page.evaluate(
      () => 'evil' in window || document.querySelector('img[src="x"], img[onerror]') !== null,
    )

  it('stays text on every screen and in every dialog', async () => {
    const found: string[] = []
    const dialogs = sampled('dialogs with markup in names', DIALOGS, { keep: 24 })
    for (const screen of [...(await pagesOf(page)), ...dialogs]) {
      await visitNext(page, screen)
      if (await injected()) found.push(screen.name)
      await leave(page)
    }
    expect(found).toEqual([])
    expect(watched.complaints).toEqual([])
  }, 240_000)

  const shown = async (text: string): Promise<void> => {
    await page.getByText(text).first().waitFor()
    expect(await injected()).toBe(false)
  }

  it('is shown as it was given', async () => {
    await page.goto('/accounts')
    await shown(EVIL_BLOCK)
    await page.goto('/accounts/demo01')
    await shown(EVIL_BLOCK)
    await page.goto('/files?account=1')
    await shown(EVIL)
    await page.goto('/settings?tab=tokens')
    await shown(TOKEN)
    await page.goto('/settings?tab=users')
    await shown(EVIL)
    await page.goto('/settings?tab=audit')
    await shown(EVIL)
    await page.getByTestId('job-pill').click()
    await shown(EVIL_BLOCK)
    for (const source of ['access', 'error', 'php', 'panel']) {
      await page.goto(`/logs?source=${source}&q=${encodeURIComponent('<script>')}`)
      await page.locator('mark').first().waitFor()
      await page.locator('[data-log-row]').last().click()
      await page.getByRole('dialog').getByText('</textarea>').first().waitFor()
      expect([source, await injected()]).toEqual([source, false])
    }
    const edit = new URLSearchParams({ account: '1', edit: EVIL })
    await page.goto(`/files?${edit}`)
    await page.getByTestId('code').locator('.cm-content').getByText('</script>').waitFor()
    expect(await injected()).toBe(false)
  })

  it('stays text in what the panel says of it', async () => {
    const said = (text: string) => page.getByRole('status').getByText(text).first().waitFor()
    const modal = page.getByRole('dialog')
    const act = async (row: string, item: string) => {
      await page.getByRole('button', { name: `Actions for ${row}`, exact: true }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await page.goto(`/files?${new URLSearchParams({ account: '1', edit: EVIL })}`)
    await page.getByTestId('code').locator('.cm-content').focus()
    await page.keyboard.type('x')
    await page.keyboard.press('Control+s')
    await said(`${EVIL} saved`)
    await page.goto('/files?account=1')
    await act(EVIL, 'Delete')
    await modal.getByText(`File ${EVIL}`).waitFor()
    await modal.getByLabel(`Type ${EVIL} to confirm`).fill(EVIL)
    await modal.getByRole('button', { name: 'Delete' }).click()
    await page
      .getByRole('button', { name: `Actions for ${EVIL}`, exact: true })
      .waitFor({ state: 'detached' })
    await page.goto('/settings?tab=tokens')
    await act(TOKEN, 'Revoke')
    await modal.getByText(TOKEN).first().waitFor()
    await modal.getByRole('textbox').fill(TOKEN)
    await modal.getByRole('button', { name: /Revoke/ }).click()
    await said(TOKEN)
    await panel.breakHost('users.create', EVIL_BLOCK)
    await page.goto('/accounts?new=1')
    await modal.getByLabel('Username').fill('ada')
    await modal.getByLabel('Primary domain').fill('ada.example')
    await modal.getByLabel('Email').fill('ada@ada.example')
    await modal.getByLabel('Password', { exact: true }).fill('correct horse 9')
    await modal.getByRole('button', { name: 'Create account' }).click()
    await modal.getByText(EVIL_BLOCK).first().waitFor()
    await panel.mend()
    expect(await injected()).toBe(false)
    expect(watched.complaints).toEqual([])
  })

  it('is refused where names are names of the system', async () => {
    const password = 'correct horse 9'
    for (const [path, body] of [
      ['/api/accounts', { username: EVIL, domain: 'a.example', email: 'a@a.example', password }],
      ['/api/accounts', { username: 'ada', domain: EVIL, email: 'a@a.example', password }],
      [
        '/api/accounts',
        { username: 'ada', domain: 'a.example', email: `"${EVIL}"@a.example`, password },
      ],
      [
        '/api/accounts',
        { username: 'ada', domain: 'a.example', email: 'a@a.example', password, plan: EVIL },
      ],
      ['/api/domains', { account_id: 1, domain_name: EVIL, domain_type: 'addon' }],
      ['/api/databases', { account_id: 1, db_name: EVIL, db_password: password }],
    ] as const) {
      const answer = await callApi(page, 'POST', path, body)
      expect([path, answer.status]).toEqual([path, 400])
    }
  })

  it('comes to nothing in addresses of the panel', async () => {
    for (const path of [
      `/accounts?q=${encodeURIComponent(EVIL_BLOCK)}`,
      `/login?next=${encodeURIComponent('javascript:window.evil=1')}`,
      `/settings?tab=${encodeURIComponent(EVIL_BLOCK)}`,
      `/files?account=1&path=${encodeURIComponent(EVIL_BLOCK)}`,
      `/${encodeURIComponent(EVIL_BLOCK)}`,
    ]) {
      await page.goto(path)
      expect([path, await injected()]).toEqual([path, false])
    }
    expect(watched.complaints).toEqual([])
  })
})
