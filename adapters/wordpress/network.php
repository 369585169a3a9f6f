<?php
/** Networks of sites (multisite) in copies; see runner.php. */

namespace Berth\Runner;

/** What a network is made of, and which names of others its sites have; null where it is none. */
function networkFacts(\mysqli $db): ?array
{
	if (!defined('MULTISITE') || !MULTISITE) return null;
	global $wpdb;
	$networks = $db->query('SELECT domain, path FROM ' . named($wpdb->base_prefix . 'site') . ' ORDER BY id LIMIT 2')->fetch_all();
	if ($networks === []) throw new Refusal('The network has no main site.');
	[$domain, $path] = $networks[0];
	$name = $db->real_escape_string($domain);
	$others = $db->query('SELECT DISTINCT domain FROM ' . named($wpdb->base_prefix . 'blogs') . " WHERE domain <> '$name' LIMIT 5");
	return [
		'domain' => $domain,
		'path' => $path,
		'networks' => count($networks),
		'subdomains' => defined('SUBDOMAIN_INSTALL') && SUBDOMAIN_INSTALL,
		'others' => array_column($others->fetch_all(), 0),
	];
}

/**
 * Gives the sites of a network that was brought into a database another name and folder. Its own
 * WordPress finds none of them before.
 */
function moveNetwork(array $order): array
{
	['database' => $database, 'prefix' => $prefix, 'from' => $from, 'to' => $to] = $order;
	$db = connect($database['name'], $database['user'], $database['password'], $database['host']);
	$quote = static fn (string $text): string => "'" . $db->real_escape_string($text) . "'";
	[$old, $new] = [$quote($from['domain']), $quote($to['domain'])];
	$length = strlen($from['path']);
	$db->query('START TRANSACTION');
	foreach (['site', 'blogs', 'signups'] as $name) {
		$table = $prefix . $name;
		if (!hasTable($db, $table)) continue;
		// Of the same name, and in the network's folder or below.
		$db->query(
			'UPDATE ' . named($table) . " SET domain = $new, path = CONCAT(" . $quote($to['path']) . ', SUBSTRING(path, ' . ($length + 1) . "))"
			. " WHERE domain = $old AND LEFT(path, $length) = " . $quote($from['path'])
		);
	}
	$db->query('UPDATE ' . named($prefix . 'usermeta') . " SET meta_value = $new WHERE meta_key = 'source_domain' AND meta_value = $old");
	$db->query('COMMIT');
	return [];
}

/** What WordPress has people write for a network, with the folder that it is in now; the rules themselves stay. */
function rulesOfNetwork(string $rules, string $path): string
{
	return preg_replace('~^(\s*RewriteBase\s+)\S+~m', '${1}' . $path, $rules) ?? $rules;
}
