import type { Page } from 'playwright-core'
import type { WatchedPage } from '../open-browser.ts'
import { stopTransitions } from './stop-transitions.ts'

export const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
] as const
export const SCHEMES = ['light', 'dark'] as const

export interface LookedAt {
  /** For messages and pictures. */
  name: string
  path: string
  /** Waits for what the screen shows. Default: its heading. */
  ready?(page: Page): Promise<unknown>
}

/** How far what is drawn sticks out of the window, once it has followed the window's size. */
const overhang = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const spare = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
    // Charts are drawn anew after the frame in which their place got another size.
    for (let frames = 0; frames < 60 && (frames < 2 || spare() !== 0); frames += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve))
    return spare()
  })

/**
 * Looks at screens in every size and both themes and tells which stick out, by how many pixels.
 * Each is loaded once, at another size and theme than the one before it; the window then
 * takes the other sizes and themes as it does in a user's hands.
 */
export const overhangsOf = async (
  { page, screenshot }: WatchedPage,
  screens: readonly LookedAt[],
): Promise<Record<string, number>> => {
  const found: Record<string, number> = {}
  const ways = SIZES.flatMap((size) => SCHEMES.map((colorScheme) => ({ size, colorScheme })))
  for (const [index, { name, path, ready }] of screens.entries()) {
    const first = index % ways.length
    for (const [nth, way] of [...ways.slice(first), ...ways.slice(0, first)].entries()) {
      await page.setViewportSize(way.size)
      await page.emulateMedia({ colorScheme: way.colorScheme })
      if (nth === 0) {
        await page.goto(path)
        await stopTransitions(page)
      }
      await (ready?.(page) ?? page.getByRole('heading', { level: 1 }).waitFor())
      const look = `${name}-${way.size.width}-${way.colorScheme}`
      const pixels = await overhang(page)
      if (pixels !== 0) found[look] = pixels
      await screenshot(look)
    }
  }
  return found
}
