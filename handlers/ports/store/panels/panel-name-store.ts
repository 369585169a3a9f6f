/** Part of the store: names under which browsers reach the panel, whichever instance of it. */
export interface PanelNameStore {
  /** Notes that a name is in use; of those beyond `most` the ones that were not for longest go. */
  notePanelName(name: string, seenSecs: number, most: number): Promise<void>
  /** Those in use since, in their order. */
  panelNames(sinceSecs: number): Promise<string[]>
}
