import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createAccount, setUpByApi } from './support/log-in.ts'
import { openPage } from './support/open-browser.ts'
import { browser, panel, signedInPanel, storageState } from './support/panel-in-browser.ts'

signedInPanel(async (page) => {
  await setUpByApi(page)
  await createAccount(page, 'lena')
})

describe('the visitors of a site', () => {
  it('say where nobody was counted yet', async () => {
    const { page, complaints } = await openPage(browser, panel.origin, { storageState })
    await page.goto('/domains')
    await page.getByRole('button', { name: 'Actions for lena.example', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Visitor figures', exact: true }).click()
    await page.getByRole('heading', { name: 'Visitors of lena.example' }).waitFor()
    await page.getByText('Nobody has been counted on these days.').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('are shown in charts and lists, for as many days as are chosen, and are a table', async () => {
    await panel.fillCache()
    const { page, complaints } = await openPage(browser, panel.origin, { storageState })
    await page.goto('/domains/1/visitors')
    await page.locator('[data-drawn]').nth(2).waitFor()
    const cards = page.getByTestId('stat-card')
    const before = await cards.first().innerText()
    for (const [card, row] of [
      ['Most asked pages', '/shop/'],
      ['Where visitors come from', 'google.com'],
      ['Asked for and not found', '/favicon-old'],
      ['Answers', '404'],
      ['Programs', 'Libraries and command lines'],
      ['Slowest pages', '/shop/checkout/'],
    ] as const)
      await page.getByRole('region', { name: card }).getByText(row, { exact: true }).waitFor()
    await page.getByRole('link', { name: '7 days', exact: true }).click()
    await page.waitForURL('**/visitors?days=7')
    await expect.poll(() => cards.first().innerText()).not.toBe(before)
    // The chart begins where days begin, not with a year of nothing.
    await page.getByRole('link', { name: 'A year', exact: true }).click()
    await page.waitForURL('**/visitors?days=365')
    await page.getByRole('button', { name: 'Visitors by day: values as a table' }).click()
    const table = page.getByRole('region', { name: 'Visitors by day' })
    await expect.poll(() => table.getByRole('row').count()).toBe(46)
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ])
    expect(saved.suggestedFilename()).toBe('lena.example-visitors.csv')
    const lines = (await readFile(await saved.path(), 'utf8')).trim().split('\r\n')
    expect(lines).toHaveLength(45)
    expect(lines.at(-1)).toMatch(/^\d{4}-\d\d-\d\d(?:,\d+){12}$/)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('of a site that is not there are not found', async () => {
    const { page } = await openPage(browser, panel.origin, { storageState })
    for (const id of ['99', 'x'])
      expect((await page.goto(`/domains/${id}/visitors`))?.status()).toBe(404)
    await page.context().close()
  })
})
