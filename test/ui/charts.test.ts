import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { setUpByApi } from './support/log-in.ts'
import { openPage, type WatchedPage } from './support/open-browser.ts'
import { SCHEMES, SIZES } from './support/looks/overhangs.ts'
import { browser, panel, signedInPanel, storageState } from './support/panel-in-browser.ts'

const REQUESTS = /^Requests and cache/
const HISTORY = '**/api/system/history*'

const chart = (page: Page, name: RegExp) => page.getByRole('img', { name })

/** Waits until the three charts are drawn with values. */
const drawn = async (page: Page): Promise<void> => {
  for (const name of [REQUESTS, /^CPU and memory/, /^Load average/]) {
    await chart(page, name).and(page.locator('[data-drawn]')).waitFor()
    await page
      .getByRole('img', { name })
      .and(page.getByLabel(/highest/))
      .waitFor()
  }
}

/** How many pixels of the chart have exactly the colour of the token, as the theme shows it now. */
const pixels = (page: Page, token: string): Promise<number> =>
  page.evaluate((name) => {
    const probe = document.createElement('i')
    probe.className = 'bg-chart-1'
    document.body.append(probe)
    probe.className = name
    const color = getComputedStyle(probe).backgroundColor
    probe.remove()
    const canvas = document.querySelector('canvas')
    const drawing = canvas?.getContext('2d')
    if (!canvas || !drawing) return 0
    const { data } = drawing.getImageData(0, 0, canvas.width, canvas.height)
    const one = new OffscreenCanvas(1, 1).getContext('2d')
    if (!one) return 0
    one.fillStyle = color
    one.fillRect(0, 0, 1, 1)
    const [r, g, b] = one.getImageData(0, 0, 1, 1).data
    let count = 0
    for (let at = 0; at < data.length; at += 4)
      if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255)
        count += 1
    return count
  }, token)

const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number
            hadRecentInput: boolean
          })[])
            if (!entry.hadRecentInput) sum += entry.value
        }).observe({ type: 'layout-shift', buffered: true })
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))))
      }),
  )

describe('charts', () => {
  signedInPanel(setUpByApi, { history: true })
  const opened = async (options: BrowserContextOptions = {}): Promise<WatchedPage> => {
    const watched = await openPage(browser, panel.origin, { storageState, ...options })
    await watched.page.goto('/')
    await drawn(watched.page)
    return watched
  }

  it.each(SIZES)('$width px: drawn without a shift, nothing sticks out', async (viewport) => {
    const { page, complaints, screenshot } = await openPage(browser, panel.origin, {
      storageState,
      viewport,
    })
    for (const [index, path] of ['', 'system'].entries()) {
      // Each is loaded in the one theme and then shown in the other.
      const schemes = index === 0 ? SCHEMES : SCHEMES.toReversed()
      for (const [nth, colorScheme] of schemes.entries()) {
        await page.emulateMedia({ colorScheme })
        if (nth === 0) await page.goto(`/${path}`)
        await drawn(page)
        // A figure that gets a digit more moves its own card by what no eye sees.
        expect(await layoutShift(page), path).toBeLessThan(0.001)
        const overhang = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        expect([path, overhang]).toEqual([path, 0])
        await screenshot(`charts-${path || 'dashboard'}-${viewport.width}-${colorScheme}`)
      }
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('names its lines, and reads all of them at the pointer', async () => {
    const { page, complaints, screenshot } = await opened()
    for (const word of ['Requests/s', 'Hit rate', 'CPU', 'Memory', '1 min', '5 min', '15 min'])
      await page.getByRole('listitem').filter({ hasText: word }).first().waitFor()
    const box = await chart(page, REQUESTS).boundingBox()
    if (!box) throw new Error('the chart has no place')
    await page.mouse.move(box.x + box.width - 80, box.y + box.height / 2)
    const tip = page.getByTestId('chart-tip')
    await tip.getByText('Requests/s').waitFor()
    expect(await tip.textContent()).toMatch(/Hit rate\s*\d+(\.\d)? %/)
    const left = async () => (await tip.boundingBox())?.x ?? 0
    const before = await left()
    await page.mouse.move(box.x + 120, box.y + 40)
    await expect.poll(left).toBeLessThan(before)
    await screenshot('charts-hover')
    await page.mouse.move(5, 5)
    await tip.waitFor({ state: 'detached' })
    expect(complaints).toEqual([])
    await page.context().close()
  })

  it('tells its figures in words and as a table of the same height', async () => {
    const { page, screenshot } = await opened()
    const label = await chart(page, REQUESTS).getAttribute('aria-label')
    expect(label).toMatch(/Requests\/s: now .+, lowest .+, highest .+\. Hit rate: now .+ %/)
    const height = () => page.evaluate(() => document.documentElement.scrollHeight)
    const before = await height()
    const toggle = page.getByRole('button', { name: 'Requests and cache: values as a table' })
    await toggle.click()
    const table = page.getByRole('table', { name: 'Requests and cache' })
    expect(await table.getByRole('row').count()).toBeGreaterThan(30)
    await table.getByRole('columnheader', { name: 'Hit rate' }).waitFor()
    expect(await height()).toBe(before)
    await screenshot('charts-table')
    await toggle.click()
    await table.waitFor({ state: 'detached' })
    await page.context().close()
  })

  it('follows the theme without a reload', async () => {
    const { page } = await opened({ colorScheme: 'light' })
    expect(await pixels(page, 'bg-chart-1')).toBeGreaterThan(20)
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await expect.poll(() => pixels(page, 'bg-chart-1')).toBeGreaterThan(20)
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitem', { name: 'Like the system' }).click()
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => pixels(page, 'bg-chart-1')).toBeGreaterThan(20)
    await page.context().close()
  })

  it('follows the width of the page', async () => {
    const { page } = await opened({ viewport: { width: 1440, height: 900 } })
    const widths = () =>
      page.evaluate(() => {
        const host = document.querySelector('[role=img][data-drawn]')
        return [host?.clientWidth, host?.querySelector('canvas')?.clientWidth]
      })
    const [before] = await widths()
    await page.setViewportSize({ width: 500, height: 900 })
    await expect
      .poll(async () => {
        const [host, canvas] = await widths()
        return host !== before && host === canvas
      })
      .toBe(true)
    await page.context().close()
  })

  it('goes on by itself, asking for what is new alone', async () => {
    const { page } = await opened()
    const before = await chart(page, REQUESTS).getAttribute('aria-label')
    const news = await page.waitForResponse(
      async (response) =>
        response.url().includes('&since=') && (await response.json()).data.times.length > 0,
    )
    expect((await news.json()).data.times.length).toBeLessThan(5)
    await expect.poll(() => chart(page, REQUESTS).getAttribute('aria-label')).not.toBe(before)
    await page.context().close()
  })

  it('rests while the tab is hidden', async () => {
    const { page } = await openPage(browser, panel.origin, { storageState })
    await page.clock.install()
    await page.goto('/')
    await drawn(page)
    let asked = 0
    page.on(
      'request',
      (request) => void (request.url().includes('/api/system/history') && (asked += 1)),
    )
    const hide = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await hide(true)
    await page.clock.fastForward(120_000)
    expect(asked).toBe(0)
    const again = page.waitForRequest(HISTORY)
    await hide(false)
    await again
    await page.context().close()
  })

  it('shows another range, and says when it stands still', async () => {
    const { page } = await opened()
    const answer = page.waitForResponse((response) => response.url().includes('range=7d'))
    await page.getByText('7 d', { exact: true }).click()
    const { data } = await (await answer).json()
    expect(data.times).toHaveLength(1008)
    await drawn(page)
    await page.route(HISTORY, (route) => route.abort())
    await page.getByText('15 min', { exact: true }).first().click()
    await page.getByText('The charts stand still').waitFor()
    await page.unroute(HISTORY)
    await page.getByText('The charts stand still').waitFor({ state: 'detached' })
    await page.context().close()
  })
})
