import { describe, expect, it } from 'vitest'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { callApi, createAccount, setUpByApi } from '../support/log-in.ts'
import { page, panelInBrowser, watched } from '../support/panel-in-browser.ts'
import { settle } from '../support/screens.ts'

const RULES =
  'RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} Phone\nRewriteRule ^old$ /page.html [R=301,L]\n'

describe('rewrite rules of a site', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena')
    await write(RULES)
  })

  const write = (content: string) =>
    callApi(page, 'POST', '/api/files/write', {
      ...{ account_id: 1, path: 'public_html/.htaccess', content },
    })
  const code = () => page.getByTestId('code').locator('.cm-content')
  const type = async (text: string) => {
    await code().click()
    await page.keyboard.press('Control+A')
    await page.keyboard.insertText(text)
  }
  const saved = async () => {
    const query = 'account_id=1&path=public_html%2F.htaccess'
    const answer = await callApi(page, 'GET', `/api/files/read?${query}`)
    return (answer.body as { data?: { content: string } }).data?.content
  }

  it('says which rule does what, and leads to its line', async () => {
    await page.goto('/domains')
    await page.getByRole('button', { name: 'Actions for lena.example', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Rewrite rules' }).click()
    await page.getByRole('heading', { name: 'Rewrite rules of lena.example' }).waitFor()
    await code().getByText('RewriteEngine').waitFor()
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('/old')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('Passed over: its conditions do not hold').waitFor()
    await page.getByText('Method, browser and cookies').click()
    await page.getByLabel('Browser (User-Agent)').fill('Phone/1')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('301: leads to http://lena.example/page.html').waitFor()
    await page.getByText('(is “Phone/1”)').waitFor()
    await watched.screenshot('rules')
    await page.getByRole('button', { name: 'Go to line 3' }).click()
    const chosen = await page.evaluate(() => {
      const root = document.querySelector('[data-testid="code"]')?.shadowRoot
      return root?.querySelector('.cm-activeLine')?.textContent
    })
    expect(chosen).toContain('RewriteRule ^old$')
  })

  it('can be used by everybody, on a phone and in the dark too', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        await settle(page)
        expect([colorScheme, width, await violationsOf(page)]).toEqual([colorScheme, width, []])
        const wide = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(wide).toBeLessThanOrEqual(width)
      }
    }
    await page.setViewportSize({ width: 360, height: 900 })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('tests what is not saved, and saves nothing that would close the site', async () => {
    await type('RewriteEngine On\nRewriteRule ^old$ - [G]\n')
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('It answers 410.').waitFor()
    expect(await saved()).toBe(RULES)
    await type('RewriteEngine On\nRewriteRule ^(old /x\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Not saved, because it would close the site with 500: line 2').waitFor()
    expect(await saved()).toBe(RULES)
    await type('RewriteEngine On\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Rules of lena.example saved').waitFor()
    expect(await saved()).toBe('RewriteEngine On\n')
  })

  it('says so where somebody else has changed them meanwhile', async () => {
    await write('# of somebody else\n')
    await type('RewriteEngine Off\n')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save anyway' }).waitFor()
    expect(await saved()).toBe('# of somebody else\n')
    await page.getByRole('dialog').getByRole('button', { name: 'Save anyway' }).click()
    await page.getByText('Rules of lena.example saved').last().waitFor()
    expect(await saved()).toBe('RewriteEngine Off\n')
  })
})
