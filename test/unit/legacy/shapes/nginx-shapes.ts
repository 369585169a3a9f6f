import { lines, nested, type HostileShape } from './shape.ts'

const nginxSite = (inside: string, before = ''): string =>
  `${before}\nserver { listen 80; server_name a.test; root /srv/a;\n${inside}\n}\n`

/** Shapes of nginx that grow out of hand where a step is taken more than once for each thing. */
export const NGINX_SHAPES: readonly HostileShape[] = [
  {
    name: 'a chain of maps, each of the one before',
    lost: /More than 30 maps/,
    make: (size) => ({
      text: nginxSite(
        `add_header X $m${size - 1};`,
        lines(
          size,
          (at) => `map ${at === 0 ? '$host' : `$m${at - 1}`} $m${at} { default a; b c; }`,
        ),
      ),
    }),
  },
  {
    name: 'a chain of maps in the other order',
    lost: /More than 30 maps/,
    make: (size) => ({
      text: nginxSite(
        `add_header X $m0;`,
        lines(
          size,
          (at) => `map ${at === size - 1 ? '$host' : `$m${at + 1}`} $m${at} { default a; b c; }`,
        ),
      ),
    }),
  },
  {
    name: 'maps whose values double',
    lost: /More than 30 maps/,
    make: (size) => ({
      text: nginxSite(
        `return 301 http://$m${size - 1}/;`,
        lines(
          size,
          (at) =>
            `map $host $m${at} { default "${at === 0 ? '$uri' : `$m${at - 1}$m${at - 1}`}"; }`,
        ),
      ),
    }),
  },
  {
    name: 'maps that nothing asks for',
    make: (size) => ({
      text: nginxSite(
        '',
        lines(size, (at) => `map $host $m${at} { default $m${(at * 7) % size}; }`),
      ),
    }),
  },
  {
    name: 'a table of many entries',
    make: (size) => ({
      text: nginxSite(
        'return 301 http://$m/;',
        `map $host $m {\n${lines(size * 4, (at) => `h${at}.test v${at};`)}\n}`,
      ),
    }),
  },
  {
    name: 'a table of many patterns for a header',
    make: (size) => ({
      text: nginxSite(
        'add_header X $m;',
        `map $sent_http_content_type $m {\n${lines(size, (at) => `~^t${at}/ v${at};`)}\n}`,
      ),
    }),
  },
  {
    name: 'a table of many addresses',
    make: (size) => ({
      text: nginxSite(
        'if ($g) { return 403; }',
        `geo $g {\ndefault 0;\n${lines(size, (at) => `10.${at >> 8}.${at & 255}.0/24 1;`)}\n}`,
      ),
    }),
  },
  {
    name: 'many sites that share many maps',
    make: (size) => ({
      text: `${lines(size / 10, (at) => `map $host $m${at} { default a; b c; }`)}\n${lines(size / 10, (at) => `server { listen 80; server_name s${at}.test; root /srv/a; add_header X $m${at}; }`)}`,
    }),
  },
  {
    name: 'many sites',
    make: (size) => ({
      text: lines(
        size,
        (at) =>
          `server { listen 80; server_name s${at}.test; root /srv/a; location / { try_files $uri /index.html; } }`,
      ),
    }),
  },
  {
    name: 'many conditions in a row',
    make: (size) => ({
      text: nginxSite(lines(size, (at) => `if ($host = h${at}) { return 403; }`)),
    }),
  },
  {
    name: 'conditions in each other',
    says: /blocks nest more than 50 deep\. Write/,
    make: (size) => ({
      text: nginxSite(nested(size, (at) => `if ($http_a${at}) {`, '}', 'return 403;')),
    }),
  },
  {
    name: 'conditions in each other as deep as may be, many of them',
    make: (size) => ({
      text: nginxSite(
        lines(size / 20, () => nested(45, (at) => `if ($http_a${at}) {`, '}', 'return 403;')),
      ),
    }),
  },
  {
    name: 'many locations of beginnings, preferred and not',
    says: /more than 2000 locations\. Put/,
    make: (size) => ({
      text: nginxSite(
        lines(
          size,
          (at) =>
            `location ${at % 2 ? '^~ ' : ''}/${'a'.repeat((at % 60) + 1)}${at} { add_header X ${at}; }`,
        ),
      ),
    }),
  },
  {
    name: 'beginnings each of which begins the next',
    says: /lie above more than 5000 others in all, .* Convert/,
    size: 1500,
    make: (size) => ({
      text: nginxSite(
        lines(
          size,
          (at) => `location ${at % 2 ? '^~ ' : ''}/${'a'.repeat(at)} { add_header X ${at}; }`,
        ),
      ),
    }),
  },
  {
    name: 'locations in each other',
    says: /blocks nest more than 50 deep\. Write/,
    make: (size) => ({
      text: nginxSite(
        nested(size, (at) => `location ~ ^/${'a'.repeat(at % 40)} {`, '}', 'deny all;'),
      ),
    }),
  },
  {
    name: 'many patterns in each other as deep as may be',
    says: /more than 2000 locations\. Put/,
    make: (size) => ({
      text: nginxSite(
        lines(size / 20, (one) =>
          nested(45, (at) => `location ~ ^/${one}/${at} {`, '}', 'deny all;'),
        ),
      ),
    }),
  },
  {
    name: 'files of which each includes the next twice',
    says: /more than 20000 files are included\. Convert/,
    make: (size) => {
      const more = Object.fromEntries(
        Array.from({ length: Math.min(size, 30) }, (_, at) => [
          `/etc/web/i${at}.conf`,
          `include i${at + 1}.conf;\ninclude i${at + 1}.conf;\n`,
        ]),
      )
      return {
        text: nginxSite('include i0.conf;'),
        more: { ...more, [`/etc/web/i${Math.min(size, 30)}.conf`]: 'deny all;' },
      }
    },
  },
  {
    name: 'a file that includes itself by a pattern',
    says: /includes itself\. Remove/,
    make: () => ({ text: nginxSite('include *.conf;') }),
  },
  {
    name: 'constants that hold each other',
    make: (size) => ({
      text: nginxSite(
        `${lines(size, (at) => `set $v${at} "${at === 0 ? '/a' : `$v${at - 1}$v${at - 1}`}";`)}\nroot /srv/$v${size - 1}; rewrite ^ /$v${size - 1} last;`,
      ),
    }),
  },
  {
    name: 'a server that sets many constants for many places',
    says: /more than 2000 locations\. Put/,
    make: (size) => ({
      text: nginxSite(
        `${lines(size, (at) => `set $v${at} /srv/a;`)}\n${lines(size, (at) => `location /p${at} { root $v${at}; }`)}`,
      ),
    }),
  },
  {
    name: 'many upstreams and many paths that are passed on',
    says: /more than 2000 locations\. Put/,
    make: (size) => ({
      text: nginxSite(
        lines(size, (at) => `location /p${at}/ { proxy_pass http://u${at}; }`),
        lines(size, (at) => `upstream u${at} { server 127.0.0.1:${1000 + (at % 60000)}; }`),
      ),
    }),
  },
  {
    name: 'many texts',
    says: /more than 2000 locations\. Put/,
    make: (size) => ({
      text: nginxSite(lines(size, (at) => `location = /t${at} { return 200 "text ${at}"; }`)),
    }),
  },
]
