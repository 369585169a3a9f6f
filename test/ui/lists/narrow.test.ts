import { describe, expect, it } from 'vitest'
import { makeCertificate } from '#test/support/make-certificate.ts'
import { callApi, createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const LONG = 'the-longest-name-that-anybody-would-give.to-a-shop-for-garden-tools.example'

describe('lists on a narrow screen', () => {
  panelInBrowser(
    async () => {
      await setUpByApi(page)
      await createAccount(page, 'lena')
      await createAccount(page, 'gartenfreunde123', {
        domain: LONG,
        email: `customer-service-of-the-whole-company@${LONG}`,
        plan: 'business',
        disk_quota_mb: 500000,
        bandwidth_quota_mb: 10000000,
      })
      await callApi(page, 'POST', '/api/accounts/2/suspend', {
        reason: 'The invoice of last month was not paid although it was asked for three times',
      })
      const { certificate, key } = makeCertificate({ names: ['lena.example'], days: 90 })
      await callApi(page, 'POST', '/api/ssl/upload', {
        domain: 'lena.example',
        certificate,
        private_key: key,
      })
    },
    { viewport: { width: 1280, height: 800 } },
  )
  const speak = (value: string) =>
    page.context().addCookies([{ name: 'berth_language', value, url: panel.origin }])

  /** Menus of rows that cannot be clicked where they are, and rows of more than two lines. */
  const faults = () =>
    page.locator('tbody tr[data-account]').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const button = row.querySelector('td:last-child button')
        const place = button?.getBoundingClientRect()
        if (!button || !place) return ['no menu']
        const at = document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2)
        const { height } = row.getBoundingClientRect()
        return [
          ...(button.contains(at) && place.right <= innerWidth ? [] : ['the menu is out of reach']),
          ...(height > 70 ? [`a row is ${height} high`] : []),
        ]
      }),
    )

  it.each([
    ['en', 1280],
    ['de', 1280],
    ['de', 1024],
    ['de', 820],
  ])('the accounts keep their menus and lines in %s at %d', async (language, width) => {
    await page.setViewportSize({ width, height: 800 })
    await speak(language)
    await page.goto('/accounts')
    await page.locator('tr[data-account]').nth(1).waitFor()
    await watched.screenshot(`accounts-${language}-${width}`)
    expect(await faults()).toEqual([])
    // Not even when something is wider still.
    await page.evaluate(() =>
      document.querySelectorAll('table td').forEach((cell) => {
        const it = cell as HTMLElement
        if (cell.matches(':first-child')) it.style.minWidth = '300px'
      }),
    )
    expect(await faults()).toEqual([])
    // What is cut can be read in full.
    const domain = page.getByRole('link', { name: LONG })
    expect(await domain.getAttribute('title')).toBe(LONG)
  })

  /** What is wrong with the cards that rows are on a phone: unnamed lines, labels below values, menus out of reach. */
  const cardFaults = () =>
    page.locator('table[data-cards] tbody tr').evaluateAll((rows) =>
      rows.flatMap((row) => {
        const title = row.querySelector('td[data-title]')?.getBoundingClientRect()
        const lines = [...row.querySelectorAll<HTMLElement>('td[data-label]')]
        const menu = row.querySelector('td[data-menu] button')?.getBoundingClientRect()
        return [
          ...(title && title.width > 150 ? [] : ['no title']),
          ...(lines.length > 0 ? [] : ['no lines']),
          ...(menu && menu.right > innerWidth ? ['the menu is out of reach'] : []),
          ...lines.flatMap((line) => {
            const { content, left, width } = getComputedStyle(line, '::before')
            const room = parseFloat(getComputedStyle(line).paddingLeft)
            const { top, height } = line.getBoundingClientRect()
            return [
              ...(content === `"${line.dataset.label}"` && content !== '""' ? [] : [content]),
              ...(parseFloat(left) + parseFloat(width) <= room ? [] : ['label over value']),
              ...(height > 0 && title && top >= title.bottom - 1
                ? []
                : ['a line beside the title']),
            ]
          }),
        ]
      }),
    )

  it.each(['/accounts', '/domains', '/ssl', '/settings?tab=plans', '/settings?tab=sessions'])(
    'rows of %s are cards with labels on a phone, sorted by what they name',
    async (path) => {
      await page.setViewportSize({ width: 360, height: 740 })
      await speak('de')
      await page.goto(path)
      await page.locator('table[data-cards] tbody tr').first().waitFor()
      expect(await cardFaults()).toEqual([])
      const heads = page.locator('table[data-cards] thead th:has(button)')
      const last = heads.filter({ visible: true }).last()
      await last.getByRole('button').click()
      await page.locator('table[data-cards] th[aria-sort]').waitFor()
      await expect.poll(() => last.getAttribute('aria-sort')).not.toBeNull()
      const [wide, inner] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        innerWidth,
      ])
      expect(wide).toBe(inner)
      await speak('en')
      await page.setViewportSize({ width: 1280, height: 800 })
    },
  )

  it('a certificate that nobody vouches for is not called valid', async () => {
    await speak('en')
    await page.goto('/ssl')
    const row = page.locator('tr[data-certificate="lena.example"]')
    await row.getByText('Self-signed').waitFor()
    expect(await row.getByText('Valid', { exact: true }).count()).toBe(0)
    await watched.screenshot('ssl-self-signed')
  })

  it('a screen that a role may not see says so once', async () => {
    const own = await openPage(browser, panel.origin)
    await logInByApi(own.page, { username: 'lena', password: 'correct horse 9' })
    const answer = await own.page.goto('/system')
    expect(answer?.status()).toBe(403)
    await own.page
      .getByRole('heading', { name: 'This page is for administrators', level: 1 })
      .waitFor()
    await own.screenshot('system-forbidden')
    // And on every screen of its own nothing is refused in pieces.
    const paths = ['/', '/accounts', '/domains', '/ssl', '/php', '/files', '/databases', '/system']
    const more = [
      '/backups',
      '/cache',
      '/logs',
      '/settings',
      '/settings?tab=sessions',
      '/settings?tab=tokens',
    ]
    for (const path of [...paths, ...more, '/settings?tab=users', '/settings?tab=audit']) {
      await own.page.goto(path)
      await own.page.getByRole('heading', { level: 1 }).waitFor()
      expect([path, await own.page.getByRole('alert').allInnerTexts()]).toEqual([path, []])
    }
    await own.page.context().close()
  })
})
