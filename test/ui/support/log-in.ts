import type { Page } from 'playwright-core'

export const ADMIN = { username: 'admin', password: 'correct horse 9' }

/** Fills the setup screen and arrives at the dashboard. */
export const setUp = async (page: Page): Promise<void> => {
  await page.goto('/setup')
  await page.getByLabel('Username').fill(ADMIN.username)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByLabel('Password confirmation').fill(ADMIN.password)
  await page.getByRole('button', { name: 'Create Admin Account' }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

export const logIn = async (page: Page, who = ADMIN): Promise<void> => {
  await page.goto('/login')
  await page.getByLabel('Username').fill(who.username)
  await page.getByLabel('Password', { exact: true }).fill(who.password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

/** Calls the API as the page's own scripts do; `more` are further headers. */
export const callApi = (
  page: Page,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<{ status: number; body: { ok: boolean; error?: string } }> =>
  page.evaluate(
    async ([method, path, body, more]) => {
      const response = await fetch(path, {
        method,
        headers: { 'X-Requested-With': 'berth', 'Content-Type': 'application/json', ...more },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: await response.json() }
    },
    [method, path, body, more] as const,
  )

export const createAccount = async (
  page: Page,
  username: string,
  more: object = {},
): Promise<void> => {
  const answer = await callApi(page, 'POST', '/api/accounts', {
    username,
    domain: `${username}.example`,
    email: `${username}@${username}.example`,
    password: 'correct horse 9',
    plan: 'free',
    ...more,
  })
  if (answer.status !== 200) throw new Error(answer.body.error)
}
