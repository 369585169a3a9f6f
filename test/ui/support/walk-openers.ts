import type { Locator, Page, Request, Route } from 'playwright-core'
import { LAYER, settle, visitNext } from './screens.ts'

/** What a walk met. */
export interface Walk {
  /** What can be used in each drawer, dialog or menu that opened: the way to it, and names. */
  opened: { way: string; offers: string[] }[]
  /** What was asked of the API, e.g. `/cron: Run now: POST /api/cron/1/1/run`. */
  asked: string[]
  /** Those that it refused for the role. */
  refused: string[]
}

const USABLE = 'button, input, select, textarea, [role="menuitem"], [contenteditable="true"]'
/** How often a click is given time for two frames, before it opened nothing. */
const PATIENCE = 15
/** The same while parts of the page are loaded, which a busy machine takes long for. */
const MOST_PATIENCE = 600

/** Names of all that can be used within: buttons, fields, switches, entries of menus. */
export const offersOf = (within: Locator): Promise<string[]> =>
  within.locator(USABLE).evaluateAll((all) =>
    (all as HTMLInputElement[])
      .filter(
        (one) =>
          one.checkVisibility() && !one.disabled && !one.readOnly && one.ariaDisabled !== 'true',
      )
      .map((one) => {
        const words = one.labels?.[0]?.textContent ?? one.textContent ?? ''
        return one.getAttribute('aria-label') ?? words.trim().replace(/\s+/g, ' ')
      }),
  )

/** Types into what is empty, so that a form can be sent; a question for a name is answered. */
const fill = async (layer: Locator): Promise<void> => {
  const fields = layer.locator('input:visible:enabled, textarea:visible:enabled')
  for (const field of await fields.all()) {
    const type = await field.getAttribute('type')
    if (/^(?:checkbox|radio|file|number)$/.test(type ?? '')) continue
    if ((await field.inputValue()) !== '') continue
    const label = await field.evaluate((one) => (one as HTMLInputElement).labels?.[0]?.textContent)
    const value = type === 'password' ? 'a long password 7' : 'lena@mail.example'
    await field.fill(/Type (\S+)/.exec(label ?? '')?.[1] ?? value)
  }
}

/**
 * Clicks all that opens something on a screen, then the form's button in what opened, as whoever
 * is logged in on `page`. Nothing of it comes to pass: what would change something reaches the
 * API with what that takes from nobody, so that its answer is only whether the role may.
 *
 * @param row whose menu is gone through
 * @param inert names of buttons that only arrange what is there
 */
export const walkOpeners = async (
  page: Page,
  path: string,
  row: string | null,
  inert: RegExp,
): Promise<Walk> => {
  const walk: Walk = { opened: [], asked: [], refused: [] }
  const main = page.locator('main')
  const layers = page.locator(LAYER)
  let way = path
  const ask = async (route: Route): Promise<void> => {
    const request = route.request()
    if (request.method() === 'GET') return route.fallback()
    const { origin, pathname } = new URL(request.url())
    const response = await route.fetch({
      url: `${origin}${pathname}?taken_from_nobody=1`,
      postData: '{',
      headers: { ...request.headers(), 'content-type': 'application/json' },
    })
    const line = `${way}: ${request.method()} ${pathname}`
    walk.asked.push(line)
    if (response.status() === 403) walk.refused.push(line)
    await route.fulfill({ response })
  }
  const loading = new Set<Request>()
  const begins = (request: Request): void => {
    if (request.resourceType() === 'script') loading.add(request)
  }
  const ends = (request: Request): void => void loading.delete(request)
  page.on('request', begins).on('requestfinished', ends).on('requestfailed', ends)
  const arrive = async (): Promise<void> => {
    await visitNext(page, { name: path, path })
    await settle(page)
  }
  /** Clicks, and waits until something came of it. */
  const press = async (what: Locator): Promise<void> => {
    const [asked, url, open] = [walk.asked.length, page.url(), await layers.count()]
    await what.click()
    for (let tries = 0, all = 0; tries < PATIENCE && all < MOST_PATIENCE; all += 1) {
      if (loading.size === 0) tries += 1
      await settle(page)
      const same = asked === walk.asked.length && url === page.url()
      if (!same || open !== (await layers.count())) return
    }
  }
  const lookInside = async (): Promise<void> => {
    if ((await layers.count()) === 0) return
    const layer = layers.last()
    walk.opened.push({ way, offers: await offersOf(layer) })
    const submit = layer.locator('button[type="submit"]:visible')
    if ((await submit.count()) === 0) return
    await fill(layer)
    if (await submit.first().isEnabled()) await press(submit.first())
  }

  await page.route('**/api/**', ask)
  await arrive()
  const names = (await offersOf(main)).filter(
    (name) => name !== '' && !inert.test(name) && !name.startsWith('Actions for '),
  )
  for (const name of new Set(names)) {
    way = `${path}: ${name}`
    await arrive()
    const opener = main.getByRole('button', { name, exact: true, disabled: false })
    if ((await opener.count()) === 0 || !(await opener.first().isVisible())) continue
    await press(opener.first())
    await lookInside()
  }
  const menu = main.getByRole('button', { name: `Actions for ${row}`, exact: true })
  await arrive()
  const items = row === null || (await menu.count()) === 0 ? [] : await itemsBehind(page, menu)
  for (const item of items) {
    way = `${path}: ${row}: ${item}`
    await arrive()
    // What the last item opened may come after all, over this.
    await menu.click({ timeout: 5000 }).catch(async () => {
      await page.goto(path)
      await settle(page)
      await menu.click()
    })
    const chosen = page.getByRole('menuitem', { name: item, exact: true })
    // A list that was asked for again is drawn again, and takes its open menu with it.
    if (
      !(await chosen.click({ trial: true, timeout: 5000 }).then(
        () => true,
        () => false,
      ))
    ) {
      if ((await chosen.count()) === 0) await menu.click()
    }
    await press(chosen)
    // The menu goes, and what it opens comes.
    await settle(page)
    await lookInside()
  }
  await page.unroute('**/api/**', ask)
  page.off('request', begins).off('requestfinished', ends).off('requestfailed', ends)
  return walk
}

/** What a menu offers, by its button. */
export const itemsBehind = async (page: Page, menu: Locator): Promise<string[]> => {
  await menu.click()
  await page.getByRole('menuitem').first().waitFor()
  const items = await offersOf(page.getByRole('menu'))
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  return items
}
