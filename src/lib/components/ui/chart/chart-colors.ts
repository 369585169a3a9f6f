/** Colours as the canvas takes them, in the theme that is shown now. */
export interface ChartColors {
  lines: string[]
  /** Of the area under the first line. */
  area: string
  grid: string
  axis: string
}

/** A canvas knows no tokens, so elements that wear them (`data-color`) are asked. */
export const readColors = (probes: HTMLElement): ChartColors => {
  const of = (name: string): string => {
    const probe = probes.querySelector(`[data-color="${name}"]`)
    return probe === null ? '#888' : getComputedStyle(probe).color
  }
  return {
    lines: [of('1'), of('2'), of('3')],
    area: of('area'),
    grid: of('grid'),
    axis: of('axis'),
  }
}

/** Calls `changed` whenever another theme is shown, by choice or by the system. */
export const followTheme = (changed: () => void): (() => void) => {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    system.removeEventListener('change', changed)
  }
}
