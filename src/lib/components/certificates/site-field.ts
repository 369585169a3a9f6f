/** What the field for a site has in every form: names to choose from; others may be typed, e.g. the panel's own. */
export const siteField = (sites: string[]) =>
  ({
    name: 'domain',
    inputmode: 'url',
    placeholder: sites[0],
    suggestions: sites,
  }) as const
