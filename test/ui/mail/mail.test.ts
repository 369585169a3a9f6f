import { describe, expect, it } from 'vitest'
import { timestamp } from '#handlers/domain/text/timestamp.ts'
import { violationsOf } from '../support/looks/axe-violations.ts'
import { overhangsOf } from '../support/looks/overhangs.ts'
import { createAccount, logInByApi, setUpByApi } from '../support/log-in.ts'
import { openPage } from '../support/open-browser.ts'
import { browser, page, panel, panelInBrowser, watched } from '../support/panel-in-browser.ts'

const LENA = { username: 'lena', password: 'correct horse 9' }
const ago = (minutes: number): string => timestamp(Date.now() - minutes * 60_000)

describe('outgoing mail', () => {
  panelInBrowser(async () => {
    await setUpByApi(page)
    await createAccount(page, 'lena', { plan: 'pro' })
    await createAccount(page, 'otto')
  })
  const drawer = (name: string, on = page) => on.getByRole('dialog', { name, exact: true })

  it('says what could be here, and that there is no relay', async () => {
    await page.goto('/mail')
    await page.getByText('No messages. What PHP sends').waitFor()
    await page.getByText('There is no relay: messages are kept').waitFor()
  })

  it('sends a test message', async () => {
    await page.getByRole('button', { name: 'Send test message' }).click()
    const form = drawer('Send a test message')
    await form.getByLabel('To').fill('nobody')
    await form.getByRole('button', { name: 'Send' }).click()
    await form.getByText('Write an e-mail address.').waitFor()
    await form.getByLabel('To').fill('me@elsewhere.example')
    await form.getByRole('button', { name: 'Send' }).click()
    await page.getByText('The test message is kept: there is no relay').waitFor()
    await page.getByRole('button', { name: 'Test message of Berth', exact: true }).waitFor()
  })

  it('shows an administrator what became of messages, but not what they say', async () => {
    await panel.setMails({
      relay: 'mail.example.com:587',
      records: [
        {
          username: 'lena',
          state: 'failed',
          subject: 'Your order 1042',
          from: 'shop@lena.example',
          replacedFrom: 'ceo@bank.example',
          answer: '550 no such user here',
          attempts: 1,
          createdAt: ago(90),
          endedAt: ago(89),
          recipients: [
            { address: 'gone@elsewhere.example', state: 'failed', answer: '550 no such user here' },
            { address: 'here@elsewhere.example', state: 'sent', answer: '250 OK' },
          ],
          source: 'From: shop@lena.example\r\nSubject: Your order 1042\r\n\r\nThank you!',
        },
        { username: 'otto', state: 'queued', subject: 'Newsletter', createdAt: ago(3) },
        { username: 'lena', state: 'sent', subject: 'Welcome', createdAt: ago(600) },
        {
          username: 'otto',
          state: 'refused',
          subject: 'Too many',
          answer: 'The account may send 100 mails in an hour. Try again later.',
          createdAt: ago(2),
        },
      ],
    })
    await page.goto('/mail')
    await page.getByText('mail.example.com:587').waitFor()
    await watched.screenshot('mail-list')
    await page.getByRole('button', { name: 'Your order 1042', exact: true }).click()
    const facts = drawer('Your order 1042')
    await facts.getByText('ceo@bank.example').waitFor()
    await facts.getByText('gone@elsewhere.example').waitFor()
    expect(await facts.getByRole('button', { name: 'Show the message' }).count()).toBe(0)
    await watched.screenshot('mail-drawer')
    expect(await violationsOf(page)).toEqual([])
  })

  it('lets the owner read, retry and remove', async () => {
    const { page: own, complaints, screenshot } = await openPage(browser, panel.origin)
    await logInByApi(own, LENA)
    await own.goto('/mail')
    await own.getByText('0 of 500 mails in the last hour').waitFor()
    expect(await own.getByText('Newsletter').count()).toBe(0)
    await own.getByRole('button', { name: 'Your order 1042', exact: true }).click()
    const facts = drawer('Your order 1042', own)
    await facts.getByRole('button', { name: 'Show the message' }).click()
    await facts.getByText('Thank you!').waitFor()
    await screenshot('mail-own-drawer')
    await facts.getByRole('button', { name: 'Try again now' }).click()
    await own.getByText('The message is being tried again').waitFor()
    await own.getByRole('button', { name: 'Actions for Welcome', exact: true }).click()
    await own.getByRole('menuitem', { name: 'Delete', exact: true }).click()
    const question = drawer('Remove Welcome?', own)
    await question.getByLabel('Type remove to confirm').fill('remove')
    await question.getByRole('button', { name: 'Remove message' }).click()
    await own.getByText('Welcome was removed').waitFor()
    expect(complaints).toEqual([])
    await own.context().close()
  })

  it('fits phones, in both schemes, and keeps the rules of axe', async () => {
    const ready = () => page.getByText('Newsletter').first().waitFor()
    expect(await overhangsOf(watched, [{ name: 'mail', path: '/mail', ready }])).toEqual({})
    await page.goto('/mail')
    await ready()
    expect(await violationsOf(page)).toEqual([])
    expect(watched.complaints).toEqual([])
  })
})
