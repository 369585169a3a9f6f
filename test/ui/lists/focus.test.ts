import { describe, expect, it } from 'vitest'
import { openPage } from '../support/open-browser.ts'
import { browser, panel, signedInPanel, storageState } from '../support/panel-in-browser.ts'
import { seed } from '../support/seed.ts'

const KEY = `ssh-ed25519 ${Buffer.concat([
  Buffer.from([0, 0, 0, 11]),
  Buffer.from('ssh-ed25519'),
  Buffer.from([0, 0, 0, 32]),
  Buffer.alloc(32, 9),
]).toString('base64')}`
const PASSWORD = 'correct horse 9'

/** A drawer or question that makes something. */
interface Maker {
  path: string
  /** The button that opens it. */
  opener: string
  /** What is typed, by labels; of a choice, what is chosen; true: checked. */
  fields: Record<string, string | true>
  submit: string
  /** What the row says that is there then. */
  row: string
  /** Closes what is told once about what was made. */
  after?: string
}

const MAKERS: readonly Maker[] = [
  {
    ...{ path: '/accounts', opener: 'New account', submit: 'Create account', row: 'mira' },
    fields: {
      ...{ Username: 'mira', 'Primary domain': 'mira.example', Email: 'post@mira.example' },
      Password: PASSWORD,
    },
  },
  {
    ...{ path: '/domains', opener: 'Add domain', submit: 'Add domain', row: 'second.example' },
    fields: { Account: 'lena', Domain: 'second.example' },
  },
  {
    ...{ path: '/databases?account=1', opener: 'New database', submit: 'Create database' },
    ...{ row: 'lena_wiki', fields: { 'Database name': 'wiki', Password: PASSWORD } },
  },
  {
    ...{ path: '/databases?account=1', opener: 'New user', submit: 'Create user' },
    row: 'lena_writer',
    fields: { 'User name': 'writer', Password: PASSWORD, 'In lena_blog': 'Read' },
  },
  {
    ...{ path: '/databases?account=1', opener: 'Allow address', submit: 'Allow' },
    ...{ row: '198.51.100.7', fields: { Address: '198.51.100.7' } },
  },
  {
    ...{ path: '/cron', opener: 'New cron job', submit: 'Create cron job', row: 'Report' },
    fields: { Account: 'lena', Name: 'Report', Command: 'write reported 0' },
  },
  {
    ...{ path: '/files?account=1', opener: 'New folder', submit: 'Create folder', row: 'drafts' },
    fields: { Name: 'drafts' },
  },
  {
    ...{ path: '/accounts/lena', opener: 'Add key', submit: 'Add key', row: 'Laptop' },
    fields: { Name: 'Laptop', 'Public key': KEY },
  },
  {
    ...{ path: '/accounts/lena', opener: 'Add user', submit: 'Add user', row: 'lena_web' },
    fields: { Name: 'web', Password: PASSWORD },
  },
  {
    ...{ path: '/accounts/lena', opener: 'Add zone', submit: 'Try and add', row: 'second.example' },
    fields: {
      ...{ Name: 'second', Zone: 'second.example', 'Primary server': 'ns1.second.example' },
      ...{ 'Name of the key': 'key', 'Secret of the key': 'c2VjcmV0IG9mIHRoZSBrZXk=' },
    },
  },
  {
    ...{ path: '/accounts/lena', opener: 'Invite', submit: 'Make the link' },
    ...{ row: 'anna@mail.example', fields: { 'E-mail address': 'anna@mail.example' } },
    after: 'I have handed it on',
  },
  {
    ...{ path: '/settings?tab=tokens', opener: 'New token', submit: 'Create token', row: 'build' },
    ...{ fields: { Name: 'build' }, after: 'I have copied it' },
  },
  {
    ...{ path: '/settings?tab=plans', opener: 'New plan', submit: 'Create plan', row: 'agency' },
    fields: { Name: 'agency' },
  },
  {
    ...{ path: '/settings?tab=users', opener: 'New administrator', row: 'third' },
    ...{ submit: 'Create administrator', fields: { Username: 'third', Password: PASSWORD } },
  },
  {
    ...{ path: '/settings?tab=resellers', opener: 'New reseller', submit: 'Create reseller' },
    ...{ row: 'rita', fields: { Username: 'rita', Password: PASSWORD, Basic: true } },
  },
]

describe('the cursor, after a drawer that makes something', () => {
  signedInPanel((page) => seed(page))

  it('is where it was when nothing was made, and else in the new row', async () => {
    const { page } = await openPage(browser, panel.origin, { storageState })
    page.setDefaultTimeout(8000)
    const astray: string[] = []
    /** Whether the cursor comes to be where `test` says, in the page. */
    const comes = (test: (text: string) => boolean, text: string): Promise<boolean> =>
      page
        .waitForFunction(test, text)
        .then(() => true)
        .catch(() => false)
    for (const { path, opener, fields, submit, row, after } of MAKERS) {
      try {
        await page.goto(path)
        const button = page.getByRole('main').getByRole('button', { name: opener, exact: true })
        const drawer = page.getByRole('dialog')
        await button.first().click()
        await drawer.waitFor()
        await page.keyboard.press('Escape')
        await drawer.waitFor({ state: 'detached' })
        const back = await comes((text) => {
          const at = document.activeElement
          return (at?.getAttribute('aria-label') ?? at?.textContent)?.trim() === text
        }, opener)
        if (!back) astray.push(`${path}, ${opener}: not back on the button`)

        await button.first().click()
        for (const [label, value] of Object.entries(fields)) {
          const field = drawer.getByLabel(label, { exact: true }).first()
          if (value === true) await field.check()
          else if (await field.evaluate((one) => one.matches('select')))
            await field.selectOption({ label: value })
          else await field.fill(value)
        }
        await drawer.getByRole('button', { name: submit, exact: true }).click()
        if (after) await drawer.getByRole('button', { name: after, exact: true }).click()
        await drawer.waitFor({ state: 'detached' })
        const there = await comes(
          (text) =>
            document.activeElement?.closest('tr, li')?.textContent?.includes(text) === true &&
            document.activeElement.closest('#content') !== null,
          row,
        )
        const at = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 120))
        if (!there) astray.push(`${path}, ${opener}: not in the row of ${row}, but at ${at}`)
      } catch (error) {
        astray.push(`${path}, ${opener}: ${String(error).slice(0, 300)}`)
      }
    }
    expect(astray).toEqual([])
    await page.context().close()
  }, 240_000)
})
