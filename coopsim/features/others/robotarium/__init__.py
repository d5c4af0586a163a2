"""The Robotarium of Georgia Tech: scripts for its simulator `rps` drive robots of coopsim, unchanged.

Source: S. Wilson et al., "The Robotarium: Globally Impactful Opportunities, Challenges, and Lessons Learned in
Remote-Access, Distributed Control of Multirobot Systems" (IEEE Control Systems Magazine, 2020).
"""
