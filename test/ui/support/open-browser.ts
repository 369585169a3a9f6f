import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'

/** The same Chromium without what a window needs, which costs a third less; Debian has it apart. */
const SHELL = '/usr/bin/chromium-headless-shell'
export const BROWSER = existsSync(SHELL) ? SHELL : '/usr/bin/chromium'
const SCREENSHOTS = resolve(import.meta.dirname, '../../../test-output/screenshots')
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A page that remembers everything it must not do. */
export interface WatchedPage {
  page: Page
  /** Violations of the content policy, script errors, console errors, requests to other hosts. */
  complaints: string[]
  /** Keeps a picture in `test-output/screenshots`, where `BERTH_TEST_SCREENSHOTS=1` asks for it. */
  screenshot(name: string): Promise<void>
}

/** `args`: more of Chromium's switches. */
export const launchBrowser = (
  executablePath = BROWSER,
  args: readonly string[] = [],
): Promise<Browser> => chromium.launch({ executablePath, headless: true, args: [...ARGS, ...args] })

/** Lets `goto` and `reload` resolve once the page reacts: a click before that would be lost. */
const waitForReadiness = (page: Page): void => {
  const ready = () => page.locator('html[data-ready]').waitFor({ state: 'attached' })
  const goto = page.goto.bind(page)
  page.goto = async (...args) => {
    const response = await goto(...args)
    await ready()
    return response
  }
  const reload = page.reload.bind(page)
  page.reload = async (...args) => {
    const response = await reload(...args)
    await ready()
    return response
  }
}

/** Opens a page in a context of its own (no cookies of others) and watches it. */
export const openPage = async (
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> => {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 1440, height: 900 },
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  if (options.javaScriptEnabled !== false) waitForReadiness(page)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    // Refused API calls are logged by the browser as well; tests look at those themselves.
    const refused = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !refused) complaints.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin)
      complaints.push(`foreign request: ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`)
    })
  })
  return {
    page,
    complaints,
    async screenshot(name) {
      if (process.env['BERTH_TEST_SCREENSHOTS'] !== '1') return
      mkdirSync(SCREENSHOTS, { recursive: true })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: 'disabled' })
    },
  }
}
