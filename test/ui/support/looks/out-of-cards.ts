import type { Page } from 'playwright-core'

/**
 * What sticks out of the card, drawer or dialog that it is drawn in, at either side, with by how
 * many CSS pixels, e.g. `button "Edit variables" 26`. What scrolls within its card is excepted.
 */
export const outOfCards = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const CARDS = 'section.rounded-card, [role=dialog], [role=alertdialog]'
    const PARTS = 'a[href], button, input, select, textarea, h2, h3, p, dt, dd, pre, table'
    const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog]')]
    const top = layers.at(-1) ?? document
    const scrolls = (one: Element | null, card: Element): boolean => {
      for (let at = one; at !== null && at !== card; at = at.parentElement)
        if (getComputedStyle(at).overflowX !== 'visible') return true
      return false
    }
    const found: string[] = []
    for (const one of top.querySelectorAll<HTMLElement>(PARTS)) {
      const card = one.closest(CARDS)
      if (card === null || one.closest('[inert], .sr-only') || one.matches('.sr-only')) continue
      if (!one.checkVisibility({ visibilityProperty: true })) continue
      const [part, place] = [one.getBoundingClientRect(), card.getBoundingClientRect()]
      const pixels = Math.max(part.right - place.right, place.left - part.left)
      if (part.width === 0 || pixels < 1 || scrolls(one.parentElement, card)) continue
      const name = one.getAttribute('aria-label') ?? one.textContent?.trim().slice(0, 40) ?? ''
      found.push(`${one.tagName.toLowerCase()} "${name}" ${Math.round(pixels)}`)
    }
    return [...new Set(found)]
  })
