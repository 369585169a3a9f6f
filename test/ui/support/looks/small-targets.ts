import type { Page } from 'playwright-core'

/**
 * What can be clicked or tapped and is smaller than 24 x 24 CSS pixels (WCAG 2.5.8), with its
 * size, e.g. `button "Copy" 29x20`. Counted is the area that answers: a label that switches its
 * field belongs to it, and so does what is laid around a target to catch the finger. Links in the
 * midst of a sentence are excepted, as the guideline does.
 */
export const smallTargets = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const LEAST = 24
    const TARGETS =
      'a[href], button, input, select, textarea, summary, [role=button], [role=menuitem], [role=menuitemcheckbox], [role=option], [role=tab], [role=switch], [role=checkbox], [role=radio], [contenteditable=true]'
    const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu]')]
    const top = layers.at(-1) ?? document

    const inSentence = (one: Element): boolean => {
      if (getComputedStyle(one).display !== 'inline') return false
      const beside = [...(one.parentNode?.childNodes ?? [])].filter((node) => node instanceof Text)
      return beside.some(({ data }) => /\p{L}{2}/u.test(data))
    }
    /** The areas that stand for a target: its own, and its label's. */
    const partsOf = (one: Element): Element[] => [
      one,
      ...((one as HTMLInputElement).labels ?? []),
      ...(one.closest('label') ? [one.closest('label') as Element] : []),
    ]
    const small: string[] = []
    for (const one of top.querySelectorAll<HTMLElement>(TARGETS)) {
      const { width, height } = one.getBoundingClientRect()
      if (!one.checkVisibility({ visibilityProperty: true }) || width * height === 0) continue
      if ((one as HTMLInputElement).disabled || one.tabIndex < -1) continue
      if (one.closest('[inert], .sr-only') || one.matches('.sr-only, [aria-hidden=true]')) continue
      const parts = partsOf(one)
      const enough = parts.some((part) => {
        const box = part.getBoundingClientRect()
        return box.width >= LEAST && box.height >= LEAST
      })
      if (enough || inSentence(one)) continue
      one.scrollIntoView({ block: 'center', inline: 'center' })
      const box = one.getBoundingClientRect()
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      const reach = LEAST / 2 - 0.5
      const answers = [-reach, 0, reach].every((dx) =>
        [-reach, 0, reach].every((dy) => {
          const there = document.elementFromPoint(x + dx, y + dy)
          return there !== null && parts.some((part) => part.contains(there))
        }),
      )
      if (answers) continue
      const name = one.getAttribute('aria-label') ?? one.textContent?.trim().slice(0, 40) ?? ''
      small.push(
        `${one.tagName.toLowerCase()} "${name}" ${Math.round(width)}x${Math.round(height)}`,
      )
    }
    return [...new Set(small)]
  })
