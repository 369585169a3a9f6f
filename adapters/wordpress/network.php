<?php
/** Networks of sites (multisite) in copies; see runner.php. */

namespace Berth\Runner;

const MOST_SITES = 2000;
const MOST_NETWORKS = 100;
/** Tables of a network that hold names of its sites, with their keys; the last is that of plugins for domain mapping. */
const NAMED_TABLES = ['site' => 'id', 'blogs' => 'blog_id', 'signups' => 'signup_id', 'domain_mapping' => 'id'];

/** What a network is made of: the networks of its database, all sites, and names that a plugin maps to these; null where it is none. */
function networkFacts(\mysqli $db): ?array
{
	if (!defined('MULTISITE') || !MULTISITE) return null;
	global $wpdb;
	$all = static function (string $table, string $columns, string $key, int $most) use ($db, $wpdb): array {
		$rows = $db->query("SELECT $columns FROM " . named($wpdb->base_prefix . $table) . " ORDER BY $key LIMIT " . ($most + 1))->fetch_all();
		if (count($rows) > $most) throw new Refusal("Its network has more than $most rows in the table {$wpdb->base_prefix}$table, and so many are not copied.");
		return $rows;
	};
	$networks = $all('site', 'id, LEFT(domain, 300), LEFT(path, 300)', 'id', MOST_NETWORKS);
	if ($networks === []) throw new Refusal('The network has no main site.');
	$sites = $all('blogs', 'blog_id, LEFT(domain, 300), LEFT(path, 300), registered', 'blog_id', MOST_SITES);
	$table = $wpdb->base_prefix . 'domain_mapping';
	$isMapped = hasTable($db, $table) && array_diff(['blog_id', 'domain'], array_column(writtenColumns($db, $table), 0)) === [];
	$current = (int) ($GLOBALS['current_site']->id ?? 0);
	// The one that the site's own address is of comes first.
	usort($networks, static fn ($a, $b) => [(int) $b[0] === $current, $a[0]] <=> [(int) $a[0] === $current, $b[0]]);
	$secure = secureSites($db, array_column($sites, 0));
	return [
		'networks' => array_map(static fn ($row) => ['id' => (int) $row[0], 'domain' => $row[1], 'path' => $row[2]], $networks),
		'sites' => array_map(static fn ($row) => ['id' => (int) $row[0], 'domain' => $row[1], 'path' => $row[2], 'registered' => (string) $row[3], 'secure' => isset($secure[$row[0]])], $sites),
		'mapped' => $isMapped ? array_column($all('domain_mapping', 'DISTINCT LEFT(domain, 300)', '1', MOST_SITES), 0) : [],
		'subdomains' => defined('SUBDOMAIN_INSTALL') && SUBDOMAIN_INSTALL,
	];
}

/** Which sites say that their pages come by TLS. */
function secureSites(\mysqli $db, array $ids): array
{
	global $wpdb;
	$there = array_flip(tablesOf($db));
	$selects = [];
	foreach ($ids as $id) {
		$table = $wpdb->base_prefix . ((int) $id === 1 ? '' : (int) $id . '_') . 'options';
		if (isset($there[$table])) $selects[] = 'SELECT ' . (int) $id . ' FROM ' . named($table) . " WHERE option_name = 'home' AND option_value LIKE 'https:%'";
	}
	$secure = [];
	foreach (array_chunk($selects, 50) as $some)
		foreach ($db->query(implode(' UNION ALL ', $some))->fetch_all() as [$id]) $secure[$id] = true;
	return $secure;
}

/**
 * Gives sites of a network their new names and folders: `names` says which comes instead of each,
 * `from` and `to` which folder of theirs is another one, `tables` what the tables are called. Its own
 * WordPress finds none of them before. In a statement for each table, so that no name is replaced twice.
 */
function renameSites(\mysqli $db, array $order): void
{
	$quote = static fn (string $text): string => "'" . $db->real_escape_string($text) . "'";
	$cases = '';
	foreach ($order['names'] as $old => $new) $cases .= ' WHEN ' . $quote((string) $old) . ' THEN ' . $quote($new);
	$list = implode(',', array_map(static fn ($old) => $quote((string) $old), array_keys($order['names'])));
	if ($list === '') return;
	$named = static fn (string $column): string => "CASE LOWER($column)$cases ELSE $column END";
	[$from, $to] = [$quote($order['from']), $quote($order['to'])];
	$length = strlen($order['from']);
	$db->query('START TRANSACTION');
	foreach (NAMED_TABLES as $name => $key) {
		$table = $order['tables'][$name] ?? null;
		if ($table === null || !hasTable($db, $table)) continue;
		$columns = array_column(writtenColumns($db, $table), 0);
		if (!in_array('domain', $columns, true)) continue;
		$path = in_array('path', $columns, true) ? ", path = IF(LEFT(path, $length) = $from, CONCAT($to, SUBSTRING(path, " . ($length + 1) . ')), path)' : '';
		$db->query('UPDATE ' . named($table) . ' SET domain = ' . $named('domain') . "$path WHERE LOWER(domain) IN ($list)");
	}
	$users = $order['tables']['usermeta'] ?? null;
	if ($users !== null && hasTable($db, $users))
		$db->query('UPDATE ' . named($users) . ' SET meta_value = ' . $named('meta_value') . " WHERE meta_key = 'source_domain' AND LOWER(meta_value) IN ($list)");
	$db->query('COMMIT');
}

/** The same in a database that a network was brought into. */
function moveNetwork(array $order): array
{
	['database' => $database, 'prefix' => $prefix] = $order;
	$db = connect($database['name'], $database['user'], $database['password'], $database['host']);
	$tables = [];
	foreach ([...array_keys(NAMED_TABLES), 'usermeta'] as $name) $tables[$name] = $prefix . $name;
	renameSites($db, ['names' => (array) $order['names'], 'tables' => $tables] + $order);
	return [];
}

/** The same in tables that came beside those of a site: what both have is where the site has it. */
function returnNetwork(array $order): array
{
	$db = connectAsSite($order);
	global $wpdb;
	renameSites($db, ['names' => (array) $order['names'], 'tables' => (array) $order['tables']] + $order);
	$fresh = $order['tables']['blogs'] ?? null;
	if ($fresh !== null)
		$db->query('UPDATE ' . named($fresh) . ' AS f JOIN ' . named($wpdb->base_prefix . 'blogs') . ' AS l ON l.blog_id = f.blog_id AND l.registered = f.registered SET f.domain = l.domain, f.path = l.path, f.public = l.public');
	return [];
}

/** Which site of a network a request to an address would be answered by. */
function siteAt(array $order): array
{
	loadDatabase($order);
	return ['site' => (int) ($GLOBALS['blog_id'] ?? 0)];
}

/** What WordPress has people write for a network, with the folder that it is in now; the rules themselves stay. */
function rulesOfNetwork(string $rules, string $path): string
{
	return preg_replace('~^(\s*RewriteBase\s+)\S+~m', '${1}' . $path, $rules) ?? $rules;
}
