import { provideTexts, type Texts } from './index.ts'
import type { Language } from './languages.ts'
import type { TextsPart } from './parts.ts'

type Load = () => Promise<Partial<Texts>>

const FRAME: Record<Language, Load> = {
  en: async () => (await import('./en/frame.ts')).frame,
  de: async () => (await import('./de/frame.ts')).frame,
}
const PARTS: Record<Language, Record<TextsPart, Load>> = {
  en: {
    sites: async () => (await import('./en/parts/sites.ts')).sitesPart,
    data: async () => (await import('./en/parts/data.ts')).dataPart,
    backups: async () => (await import('./en/parts/backups.ts')).backupsPart,
    cache: async () => (await import('./en/parts/cache.ts')).cachePart,
    programs: async () => (await import('./en/parts/programs.ts')).programsPart,
    settings: async () => (await import('./en/parts/settings.ts')).settingsPart,
    machines: async () => (await import('./en/parts/machines.ts')).machinesPart,
  },
  de: {
    sites: async () => (await import('./de/parts/sites.ts')).sitesPart,
    data: async () => (await import('./de/parts/data.ts')).dataPart,
    backups: async () => (await import('./de/parts/backups.ts')).backupsPart,
    cache: async () => (await import('./de/parts/cache.ts')).cachePart,
    programs: async () => (await import('./de/parts/programs.ts')).programsPart,
    settings: async () => (await import('./de/parts/settings.ts')).settingsPart,
    machines: async () => (await import('./de/parts/machines.ts')).machinesPart,
  },
}

const loaded: Partial<Texts> = {}
const known = new Set<TextsPart>()
let language: Language | null = null

/** In the browser: loads the frame's texts and those of some parts in the one language of the page. */
export const beginTexts = async (chosen: Language, parts: readonly TextsPart[]): Promise<void> => {
  language = chosen
  provideTexts(() => loaded as Texts)
  const [frame] = await Promise.all([FRAME[chosen](), loadParts(parts)])
  Object.assign(loaded, frame)
}

/** Loads what is not there yet. On the server, which has all texts, nothing. */
export const loadParts = async (parts: readonly TextsPart[]): Promise<void> => {
  if (language === null) return
  const { [language]: load } = PARTS
  await Promise.all(
    parts
      .filter((part) => !known.has(part))
      .map(async (part) => {
        Object.assign(loaded, await load[part]())
        known.add(part)
      }),
  )
}
