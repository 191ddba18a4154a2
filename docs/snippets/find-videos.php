<?php
// PHP 8 with the curl extension.
/** Yields every video of a course, newest first. The metadata of each video names its course. */
function videosOf(string $course): Generator
{
    $query = ['metadata' => ['course' => $course], 'status' => 'COMPLETED', 'limit' => 100];
    do {
        $request = curl_init(getenv('REELGATE_URL') . '/v1/video?' . http_build_query($query));
        curl_setopt_array($request, [
            CURLOPT_HTTPHEADER => ['x-service-key: ' . getenv('REELGATE_API_KEY')],
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_TIMEOUT => 10,
        ]);
        $body = curl_exec($request);
        if ($body === false) {
            throw new RuntimeException(curl_error($request));
        }
        $response = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        if (!$response['success']) {
            $error = $response['error'];
            throw new RuntimeException("{$error['code']}: {$error['message']} ({$error['requestId']})");
        }
        yield from $response['data'];
        $query['cursor'] = $response['pagination']['nextCursor'];
    } while ($query['cursor'] !== null);
}

foreach (videosOf(getenv('COURSE')) as $video) {
    echo $video['id'], ' ', $video['title'], "\n";
}
