import type { Page } from 'playwright-core'

export const ADMIN = { username: 'admin', password: 'correct horse 9' }

const enter = async (page: Page, path: string, data: object): Promise<void> => {
  const headers = { 'X-Requested-With': 'berth' }
  const answer = await page.request.post(path, { headers, data })
  if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`)
}

/** Creates the administrator and lets the page's context in; no page is loaded for it. */
export const setUpByApi = (page: Page): Promise<void> => enter(page, '/api/auth/setup', ADMIN)

/** Lets the page's context in; no page is loaded for it. */
export const logInByApi = (page: Page, who = ADMIN): Promise<void> =>
  enter(page, '/api/auth/login', who)

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

/** Calls the API with the page's cookies, as its own scripts do; `more` are further headers. */
export const callApi = async (
  page: Page,
  method: string,
  path: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<{ status: number; body: { ok: boolean; error?: string } }> => {
  const response = await page.request.fetch(path, {
    method,
    headers: { 'X-Requested-With': 'berth', 'Content-Type': 'application/json', ...more },
    ...(body === undefined ? {} : { data: JSON.stringify(body) }),
  })
  return { status: response.status(), body: await response.json() }
}

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
