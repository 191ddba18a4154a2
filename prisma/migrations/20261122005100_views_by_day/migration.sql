-- What was watched on a day, over all videos: the overview and the usage page ask by day.
CREATE INDEX "view_day_day_video_id_idx" ON "view_day" ("day", "video_id");
